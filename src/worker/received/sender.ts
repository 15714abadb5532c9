import { domainOf } from "../../lib/address.ts"
import type { Sender } from "./contract.ts"

/** One signature of a message: its domain, and `pass` if it holds. */
type DkimResult = Sender["dkim"][number]

/** Checks the DKIM signatures of a message. */
type VerifyDkim = (message: Uint8Array) => Promise<DkimResult[]>

/** The place of the check: without one, nobody's mail is verified. */
const verifyDkim: VerifyDkim = async () => []

/** Who sent a message, by its signatures. */
export async function readSender(message: Uint8Array, from: string): Promise<Sender> {
  const dkim = await verifyDkim(message)
  const aligned = dkim.filter(({ domain }) => isAligned(domain, domainOf(from)))
  const holding = aligned.find(({ result }) => result === "pass")
  if (holding) return { state: "verified", domain: holding.domain, dkim }
  const hasFailed = aligned.some(({ result }) => result === "fail")
  return { state: hasFailed ? "failed" : "unverified", domain: null, dkim }
}

const isAligned = (one: string, other: string) =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
