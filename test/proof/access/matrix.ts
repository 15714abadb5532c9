import type { Role } from "../../../src/worker/access/people/contract.ts"
import { ROLES } from "../../../src/worker/access/people/roles.ts"
import { dashboardEndpoints, endpoints } from "../../../src/worker/contract.ts"
import { dashboardRole, type Endpoint } from "../../../src/worker/platform/http/endpoint.ts"

export const KEYS = ["no key", "revoked", "sending-only", "full, of one domain", "full"] as const
export const PEOPLE = ["nobody", "member", "admin", "owner", "of another team"] as const

/** `let in`: neither 401 nor 403. What is asked for may still be wrong or missing. */
export type Outcome = "401" | "403" | "let in" | "no such call"

const guarded = endpoints.filter(({ access }) => access !== "public")

export const CALLS: readonly Endpoint[] = [...guarded, ...dashboardEndpoints]

export const isOnlyInDashboard = ({ access }: Endpoint) => access === "session"

/** What a key may do, from the `access` of the contract alone. */
export function outcomeOfKey(key: (typeof KEYS)[number], one: Endpoint): Outcome {
  if (isOnlyInDashboard(one)) return "no such call"
  if (key === "no key" || key === "revoked") return "401"
  return key.startsWith("full") || one.access === "any" ? "let in" : "403"
}

/** It tells whose key calls. The dashboard asks for its session instead. */
const OF_KEYS = "/me"

/** What a person may do in a team, from `access` and `dashboardRole`. */
export function outcomeOfPerson(person: (typeof PEOPLE)[number], one: Endpoint): Outcome {
  if (person === "nobody") return "401"
  if (person === "of another team") return "403"
  if (one.path === OF_KEYS) return "no such call"
  const isEnough = ROLES.indexOf(person as Role) <= ROLES.indexOf(dashboardRole(one))
  return isEnough ? "let in" : "403"
}

const columns = ["call", ...KEYS, ...PEOPLE]

export const accessTable = () =>
  [columns, columns.map(() => "---"), ...CALLS.map(rowOf)]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

const shown = (outcome: Outcome) =>
  ({ "401": "401", "403": "403", "let in": "yes", "no such call": "" })[outcome]

const rowOf = (one: Endpoint) => [
  `${one.method} ${one.path}`,
  ...KEYS.map((key) => shown(outcomeOfKey(key, one))),
  ...PEOPLE.map((person) => shown(outcomeOfPerson(person, one))),
]
