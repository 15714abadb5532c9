import { createHash } from "node:crypto"

export const ID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const RANDOM_BYTES = 10
const TIME_DIGITS = 10
/** 48 bits of time and 80 random bits. */
export const ID_BYTES = 16

export const ID_PREFIXES = {
  apiKey: "key",
  auditEntry: "aud",
  campaign: "cmp",
  consent: "cns",
  contact: "ct",
  contactBook: "cb",
  deadLetter: "dl",
  delivery: "whd",
  domain: "dom",
  email: "em",
  event: "evt",
  form: "frm",
  image: "img",
  inbox: "inb",
  invitation: "inv",
  layout: "lay",
  publication: "pub",
  received: "rcv",
  refusedCall: "ref",
  request: "req",
  savedView: "view",
  segment: "seg",
  suppression: "sup",
  team: "team",
  template: "tpl",
  thread: "thr",
  topic: "top",
  user: "usr",
  webhook: "wh",
  sequence: "sqn",
  sequenceRun: "run",
  contactProperty: "prp",
  contactImport: "imp",
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** The clock of a Worker stands still between I/O, so parallel requests see different times. */
const STEP_BACK_MS = 5_000

/** The dashboard's forms load this file in a browser, which has no `Buffer`. */
const last: { time: number; random?: Buffer } = { time: -1 }

/** A new id: prefix, underscore, ULID. Ids of one process ascend, also within a millisecond. */
export function newId(kind: IdKind, now = Date.now()): string {
  const random = last.random ?? Buffer.alloc(RANDOM_BYTES)
  last.random = random
  const steppedBack = now < last.time && now > last.time - STEP_BACK_MS
  if (steppedBack || now === last.time) increment(random)
  else {
    last.time = now
    crypto.getRandomValues(random)
  }
  return format(kind, last.time, random)
}

function increment(bytes: Buffer): void {
  for (let at = bytes.length - 1; at >= 0; at--) {
    bytes[at] = (bytes[at] ?? 0) + 1
    if (bytes[at] !== 0) return
  }
}

/** The same id for the same seed, so that a repeated report is recorded once. */
export function derivedId(kind: IdKind, time: number, seed: string): string {
  const digest = createHash("sha256").update(seed).digest("hex")
  return format(kind, time, Buffer.from(digest.slice(0, 2 * RANDOM_BYTES), "hex"))
}

export const isId = (kind: IdKind, text: string): boolean =>
  new RegExp(`^${ID_PREFIXES[kind]}_[${ID_ALPHABET}]{26}$`).test(text)

/** Sorts below all ids made at `time` or later. */
export function firstIdAt(kind: IdKind, time: number): string {
  return format(kind, Math.max(time, 0), Buffer.alloc(RANDOM_BYTES))
}

/** The time that `newId` has put into an id. */
export function timeOf(id: string): number {
  const signs = id.slice(id.indexOf("_") + 1).slice(0, TIME_DIGITS)
  return [...signs].reduce((time, sign) => 32 * time + ID_ALPHABET.indexOf(sign), 0)
}

/** A digit for five bits. Two numbers hold the random bytes, because a number has 53 exact bits. */
const format = (kind: IdKind, time: number, random: Buffer): string =>
  `${ID_PREFIXES[kind]}_${digits(time, TIME_DIGITS)}${digits(random.readUIntBE(0, 5), 8)}${digits(random.readUIntBE(5, 5), 8)}`

function digits(value: number, count: number): string {
  let rest = value
  let text = ""
  for (let i = 0; i < count; i++) {
    text = ID_ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
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
  format(kind, bytes.readUIntBE(0, 6), bytes.subarray(6, ID_BYTES))
