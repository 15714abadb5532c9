import { AGAIN, Failure } from "./failure.ts"

export const FREE_PLAN = new Failure(
  "This account is on Workers Free, where Edgepost cannot work: a call may take 10 ms of CPU there, and the check of a password takes more than ten times as much; an invocation may make 50 requests, and one that sends mail makes hundreds.",
  "Switch to Workers Paid (5 dollars a month) at https://dash.cloudflare.com/?to=/:account/workers/plans and run the same command again.",
)

export const TOO_MANY_QUEUES = `The account has as many queues as it may have: delete some at https://dash.cloudflare.com/?to=/:account/workers/queues, or ask Cloudflare for more. ${AGAIN}`

export const NO_TOKEN = `CLOUDFLARE_API_TOKEN is no API token: copy it again from https://dash.cloudflare.com/profile/api-tokens, or unset it and run 'npx wrangler login'. ${AGAIN}`

/** The first that fits a path names what a token needs for it. */
const PERMISSIONS: [RegExp, string][] = [
  [/\/d1\//, "D1 Edit"],
  [/\/queues/, "Queues Edit"],
  [/\/r2\//, "Workers R2 Storage Edit"],
  [/\/workers\/domains/, "Workers Scripts Edit, and Workers Routes Edit and DNS Edit for the zone"],
  [/\/workers\//, "Workers Scripts Edit"],
  [/^\/zones/, "Zone Read"],
]

const REMEDIES: Record<number, string> = {
  10042: `Enable R2 at https://dash.cloudflare.com/?to=/:account/r2/overview. ${AGAIN}`,
  // Headers that the API cannot read, and a token that does not exist.
  6003: NO_TOKEN,
  1000: NO_TOKEN,
  100116: "Another Worker serves this hostname: remove it there, or deploy to another URL.",
  100117: `The zone has DNS records of this name: delete them at https://dash.cloudflare.com/?to=/:account/:zone/dns/records, or deploy to another URL. ${AGAIN}`,
  100328: FREE_PLAN.remedy,
}

export function remedyOf(status: number, code?: number, path = ""): string {
  const known = code === undefined ? undefined : REMEDIES[code]
  if (known) return known
  const [, permission] = PERMISSIONS.find(([pattern]) => pattern.test(path)) ?? []
  if (status === 403 && permission && process.env.WORKERS_CI) {
    return `The token of the build lacks the permission ${permission}: add it at https://dash.cloudflare.com/profile/api-tokens, with those that docs/operations.md lists for the button, and retry the build.`
  }
  if (status === 403 && permission) {
    return `Give CLOUDFLARE_API_TOKEN the permission ${permission}, or log in with 'npx wrangler login'. ${AGAIN}`
  }
  if (status === 401 || status === 403) {
    return `Log in again with 'npx wrangler login', or give CLOUDFLARE_API_TOKEN the permissions that docs/operations.md lists. ${AGAIN}`
  }
  if (status === 429) return `Wait five minutes. ${AGAIN}`
  return AGAIN
}
