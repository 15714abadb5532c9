import { createHash } from "node:crypto"

export const ID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const RANDOM_BITS = 80n
/** 48 bits of time and 80 random bits. */
export const ID_BYTES = 16

export const ID_PREFIXES = {
  apiKey: "key",
  auditEntry: "aud",
  campaign: "cmp",
  contact: "ct",
  contactBook: "cb",
  deadLetter: "dl",
  delivery: "whd",
  domain: "dom",
  email: "em",
  event: "evt",
  invitation: "inv",
  layout: "lay",
  publication: "pub",
  request: "req",
  suppression: "sup",
  team: "team",
  template: "tpl",
  user: "usr",
  webhook: "wh",
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** The clock of a Worker stands still between I/O, so parallel requests see different times. */
const STEP_BACK_MS = 5_000

let last = { time: -1, random: 0n }

/** A new id: prefix, underscore, ULID. Ids of one process ascend, also within a millisecond. */
export function newId(kind: IdKind, now = Date.now()): string {
  const steppedBack = now < last.time && now > last.time - STEP_BACK_MS
  const time = steppedBack ? last.time : now
  const random = time === last.time ? last.random + 1n : randomBits()
  last = { time, random }
  return format(kind, time, random)
}

function randomBits(): bigint {
  const [high, low] = crypto.getRandomValues(new BigUint64Array(2)) as unknown as [bigint, bigint]
  return ((high & 0xffffn) << 64n) | low
}

/** The same id for the same seed, so that a repeated report is recorded once. */
export function derivedId(kind: IdKind, time: number, seed: string): string {
  const digest = createHash("sha256").update(seed).digest("hex")
  return format(kind, time, BigInt(`0x${digest.slice(0, 20)}`))
}

export const isId = (kind: IdKind, text: string): boolean =>
  new RegExp(`^${ID_PREFIXES[kind]}_[${ID_ALPHABET}]{26}$`).test(text)

/** Sorts below all ids made at `time` or later. */
export function firstIdAt(kind: IdKind, time: number): string {
  return format(kind, time, 0n)
}

function format(kind: IdKind, time: number, random: bigint): string {
  let rest = (BigInt(time) << RANDOM_BITS) | (random & ((1n << RANDOM_BITS) - 1n))
  let ulid = ""
  for (let i = 0; i < 26; i++) {
    ulid = ID_ALPHABET[Number(rest & 31n)] + ulid
    rest >>= 5n
  }
  return `${ID_PREFIXES[kind]}_${ulid}`
}

/** An id without its prefix. `idFromBytes` is the reverse. */
export function idToBytes(id: string): Buffer {
  let bits = 0n
  for (const sign of id.slice(id.indexOf("_") + 1)) {
    bits = (bits << 5n) | BigInt(ID_ALPHABET.indexOf(sign))
  }
  return Buffer.from(bits.toString(16).padStart(2 * ID_BYTES, "0"), "hex")
}

export const idFromBytes = (kind: IdKind, bytes: Buffer): string =>
  format(kind, bytes.readUIntBE(0, 6), BigInt(`0x${bytes.toString("hex", 6, ID_BYTES)}`))
