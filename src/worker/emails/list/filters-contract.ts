import * as z from "zod"
import { normalizeAddress, normalizeDomain } from "../../../lib/address.ts"
import { boundedText, parsedBy } from "../../platform/http/shapes.ts"
import { EMAIL_STATUSES } from "../statuses.ts"
import { MAX_WORDS, searchWords } from "../word-index/words-contract.ts"

/** A member of a query that may be repeated. */
export const repeatable = <T extends z.ZodType<string>>(item: T, most: number) =>
  z.union([item, z.array(item).max(most)]).transform((value) => [value].flat() as z.output<T>[])

export const yesOrNo = z.enum(["true", "false"]).transform((text) => text === "true")

interface RecipientFilter {
  kind: "address" | "part" | "domain"
  text: string
}

const SHORTEST_PART = 3

function readRecipient(text: string): RecipientFilter | null {
  const part = text.trim().toLowerCase()
  if (part.startsWith("@")) {
    const domain = normalizeDomain(part.slice(1))
    return domain ? { kind: "domain", text: `@${domain}` } : null
  }
  const address = normalizeAddress(part)
  if (address) return { kind: "address", text: address }
  return part.length < SHORTEST_PART ? null : { kind: "part", text: part }
}

function readSender(text: string) {
  const filter = readRecipient(text)
  return filter?.kind === "part" ? null : filter
}

/** What a list of emails may be limited by. All that are given have to match. */
export const emailFilters = {
  status: repeatable(z.enum(EMAIL_STATUSES), 20)
    .optional()
    .describe("May be repeated: one of them."),
  to: boundedText(320)
    .transform(
      parsedBy(
        readRecipient,
        `Must be an address, the start of one with ${SHORTEST_PART} characters or more, or @domain`,
      ),
    )
    .optional()
    .describe(
      "Among to, cc and bcc, whatever the case: an address, the start of one, or `@domain` for all addresses of that domain.",
    ),
  from: boundedText(320)
    .transform(parsedBy(readSender, "Must be an address or @domain"))
    .optional()
    .describe(
      "The sender, whatever the case: an address, or `@domain` for all addresses of that domain.",
    ),
  domainId: z.string().optional(),
  tag: repeatable(z.string().min(1).max(321), 20)
    .optional()
    .describe("`key:value`, or `key` for any value. May be repeated: all of them."),
  campaignId: z.string().optional(),
  sequenceId: z.string().optional(),
  templateId: z.string().optional(),
  keyId: z.string().optional().describe("The API key that sent it."),
  subject: searchWords(998)
    .optional()
    .describe(
      `Up to ${MAX_WORDS} words of letters and digits, each from its start, in any order, whatever the case.`,
    ),
  q: searchWords(998)
    .optional()
    .describe(
      `Up to ${MAX_WORDS} words of the recipients' addresses and names and of the subject, each from its start, in any order, whatever the case. An address has its words between the marks \`. + - _ @\`.`,
    ),
  opened: yesOrNo.optional(),
  clicked: yesOrNo.optional(),
}
