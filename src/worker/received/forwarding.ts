import { domainOf } from "../../lib/address.ts"
import { ID_PREFIXES, isId } from "../../lib/id.ts"
import type { Work } from "../platform/context.ts"
import { databaseNumber } from "../platform/db/databases.ts"
import type { Settings } from "../platform/env.ts"

/** Below the installation's own host. */
export const receivingHost = ({ BASE_URL }: Pick<Settings, "BASE_URL">) =>
  `in.${new URL(BASE_URL).hostname}`

/** Names the inbox and its database. */
export const forwardingAddress = ({ env, settings }: Work, inboxId: string) => {
  const [, name = ""] = inboxId.toLowerCase().split("_")
  return `${name}-${databaseNumber(env)}@${receivingHost(settings)}`
}

/** Null for any other address. */
export function readForwardingAddress(
  { settings }: Work,
  address: string,
): { inboxId: string; database: number } | null {
  if (domainOf(address) !== receivingHost(settings)) return null
  const [, name = "", number] = /^([0-9a-z]{26})-(\d{1,4})@/.exec(address) ?? []
  const inboxId = `${ID_PREFIXES.inbox}_${name.toUpperCase()}`
  return isId("inbox", inboxId) ? { inboxId, database: Number(number) } : null
}
