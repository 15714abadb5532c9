import * as z from "zod"
import {
  CONTROL_CHARACTERS,
  formatMailbox,
  type Mailbox,
  normalizeAddress,
  parseMailbox,
} from "../lib/address.ts"

/** A moment: ISO 8601 in UTC with milliseconds on the wire, milliseconds since 1970 in the code. */
export const timestamp = z.codec(z.iso.datetime(), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (time) => new Date(time).toISOString(),
})

/** A moment as a caller writes it: ISO 8601 with `Z` or an offset, never a local time. */
export const timestampInput = z.iso
  .datetime({ offset: true, error: "Must be ISO 8601 with an offset or Z" })
  .transform((text) => Date.parse(text))

/** Text that may stand in a header: trimmed, no control characters. */
export const headerText = (max: number) =>
  z
    .string()
    .refine((text) => !CONTROL_CHARACTERS.test(text), "May not contain control characters")
    .trim()
    .min(1)
    .max(max)

/** `a@b.c` or `Name <a@b.c>`, up to 320 characters. */
export const mailbox = z
  .string()
  .max(320)
  .transform((text, context): Mailbox => {
    const parsed = parseMailbox(text)
    if (parsed) return parsed
    context.addIssue({ code: "custom", message: "Must be 'a@b.c' or 'Name <a@b.c>'" })
    return z.NEVER
  })

/** One mailbox or a list of them. */
export const mailboxes = z
  .union([mailbox, z.array(mailbox).max(50)])
  .transform((value) => (Array.isArray(value) ? value : [value]))

/** A bare address, lower-cased. */
export const bareAddress = z
  .string()
  .max(320)
  .transform((text, context): string => {
    const address = normalizeAddress(text.trim())
    if (address) return address
    context.addIssue({ code: "custom", message: "Must be an email address" })
    return z.NEVER
  })

export const formatMailboxes = (list: readonly Mailbox[]) => list.map(formatMailbox)
