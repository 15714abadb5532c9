/** Cloudflare has answered with a page that only a browser gets past. */
export const isChallenged = ({ headers }: Pick<Response, "headers">): boolean =>
  headers.get("cf-mitigated") === "challenge"

export const END_CHALLENGES =
  "API clients, one-click unsubscribes and Amazon's reports cannot solve it: turn Bot Fight Mode off for the zone under Security, Settings, or, with Super Bot Fight Mode, skip it for this host with a custom rule."
