/** Beside `X-*`. Source: developers.cloudflare.com/email-service/reference/headers. */
const TAKEN = new Set([
  ...["in-reply-to", "references"],
  ...["list-unsubscribe", "list-unsubscribe-post", "list-id", "list-archive", "list-help"],
  ...["list-owner", "list-post", "list-subscribe", "precedence", "auto-submitted"],
  ...["content-language", "keywords", "comments", "importance", "priority", "sensitivity"],
  ...["organization", "require-recipient-valid-since", "expires", "reply-by", "archived-at"],
])

/** Email Service refuses a message because of one header that it does not take. */
export function takenHeaders(headers: Record<string, string>) {
  const isTaken = ([name, value]: [string, string]) =>
    value !== "" && (/^x-/i.test(name) || TAKEN.has(name.toLowerCase()))
  const { taken = [], leftOut = [] } = Object.groupBy(Object.entries(headers), (header) =>
    isTaken(header) ? "taken" : "leftOut",
  )
  return { headers: Object.fromEntries(taken), leftOut: leftOut.map(([name]) => name) }
}
