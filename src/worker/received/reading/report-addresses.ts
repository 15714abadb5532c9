import { domainOf } from "../../../lib/address.ts"
import { ID_BYTES, idFromBytes, idToBytes } from "../../../lib/id.ts"
import { readFromAddress, signForAddress } from "../../../lib/token.ts"
import type { EmailRef } from "../../emails/messages.ts"
import type { Settings } from "../../platform/env.ts"
import { receivingHost } from "../forwarding.ts"

/** `b`: where an email's bounces go. `u`: mail to it unsubscribes. */
const PURPOSES = { b: "bounce", u: "unsubscribe" } as const
type Letter = keyof typeof PURPOSES

/** No DNS record can lead mail to a host below workers.dev. */
export const hasReportAddresses = (settings: Settings, found?: { takesReports: 0 | 1 }): boolean =>
  found?.takesReports === 1 &&
  settings.REPORTS_BY_MAIL &&
  !receivingHost(settings).endsWith(".workers.dev")

/** An address has no room for a whole id of a team beside that of an email. */
const TEAM_BYTES = 8

const addressOf =
  (letter: Letter) =>
  (settings: Settings, { teamId, emailId }: EmailRef): string => {
    const payload = Buffer.concat([idToBytes(emailId), idToBytes(teamId).subarray(0, TEAM_BYTES)])
    const token = signForAddress(settings.SIGNING_KEY, purposeOf(letter), payload)
    return `${letter}+${token}@${receivingHost(settings)}`
  }

const purposeOf = (letter: Letter) => `${PURPOSES[letter]} address`

export const bounceAddress = addressOf("b")
export const unsubscribeAddress = addressOf("u")

export interface ReportAddress {
  kind: (typeof PURPOSES)[Letter]
  emailId: string
  /** The team's id is one of these. */
  teams: { from: string; to: string }
}

/** Null for an address with a wrong signature, and for any other one. */
export function readReportAddress(settings: Settings, address: string): ReportAddress | null {
  const [, letter, token = ""] = /^([bu])\+([0-9a-v]{2,64})@/i.exec(address) ?? []
  if (!letter || domainOf(address) !== receivingHost(settings)) return null
  const known = letter.toLowerCase() as Letter
  const payload = readFromAddress(settings.SIGNING_KEY, purposeOf(known), token)
  if (payload?.length !== ID_BYTES + TEAM_BYTES) return null
  const bound = (fill: number) =>
    idFromBytes(
      "team",
      Buffer.concat([payload.subarray(ID_BYTES), Buffer.alloc(ID_BYTES - TEAM_BYTES, fill)]),
    )
  return {
    kind: PURPOSES[known],
    emailId: idFromBytes("email", payload.subarray(0, ID_BYTES)),
    teams: { from: bound(0), to: bound(0xff) },
  }
}
