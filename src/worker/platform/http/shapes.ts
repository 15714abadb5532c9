import * as z from "zod"
import { normalizeAddress, parseMailbox } from "../../../lib/address.ts"
import { CONTROL_CHARACTERS, NEVER_TEXT } from "../../../lib/text.ts"

/** A time: ISO 8601 in UTC with milliseconds in JSON, milliseconds since 1970 in the code. */
export const timestamp = z.codec(z.iso.datetime(), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (time) => new Date(time).toISOString(),
})

/**
 * Java leaves out seconds that are zero; PHP and `date` leave out the colon of an offset; PostgreSQL
 * leaves out its minutes.
 */
const withSecondsAndColon = (text: string) =>
  text
    .replace(/(T\d\d:\d\d)(?=[Z+-])/, "$1:00")
    .replace(/([+-]\d\d)(\d\d)$/, "$1:$2")
    .replace(/(T[\d:.]+[+-]\d\d)$/, "$1:00")

const timestampFrom = (normalize: (text: string) => string) =>
  z
    .string()
    .overwrite(normalize)
    .check(z.iso.datetime({ offset: true, error: "Must be ISO 8601 with an offset or Z" }))
    .transform((text) => Date.parse(text))

/** A caller's time: ISO 8601 with `Z` or an offset, never a local time. */
export const timestampInput = timestampFrom(withSecondsAndColon)

/** The same in a query, where a plus sign that is not percent-encoded arrives as a space. */
export const timestampQuery = timestampFrom((text) => withSecondsAndColon(text.replace(" ", "+")))

const withinAYear = (time: typeof timestampInput) =>
  time
    .refine(
      (time) => time <= new Date().setUTCFullYear(new Date().getUTCFullYear() + 1),
      "At most one year ahead",
    )
    .describe("In the future, up to one year ahead.")

/** When something is to be sent. */
export const scheduleTime = withinAYear(timestampInput)
export const scheduleTimeQuery = withinAYear(timestampQuery)

const isWellFormed = (value: unknown): boolean =>
  typeof value === "string"
    ? value.isWellFormed()
    : typeof value !== "object" || value === null || Object.values(value).every(isWellFormed)

/**
 * The arguments of `refine` for a text, or a value with texts in it: no halves of surrogate pairs,
 * which neither a mail nor a row can hold.
 */
export const wellFormed = [isWellFormed, "May not contain half a surrogate pair"] as const

/** A well-formed string of at most `max` UTF-16 units: zod's own bound counts code points. */
export const boundedText = (max: number, string = z.string()) =>
  string
    .max(max, { abort: true })
    .refine((text) => text.length <= max, `At most ${max} characters`)
    .refine(...wellFormed)

const MAX_IDS = 100

export const ids = boundedText(40 * MAX_IDS)
  .transform((text) => text.split(","))
  .pipe(z.array(z.string()).max(MAX_IDS))
  .describe(`Up to ${MAX_IDS} ids, separated by commas.`)

const singleLine = z
  .string()
  .refine((text) => !CONTROL_CHARACTERS.test(text), "May not contain control characters")

/** Text on one line. A control character could end a header and start another one. */
export const oneLine = (max: number) => boundedText(max, singleLine)

export const lines = (max: number, string = z.string()) =>
  boundedText(max, string).refine(
    (text) => !NEVER_TEXT.test(text),
    "May not contain control characters",
  )

/** A name or a subject: one line. Its length counts after trimming. */
export const title = (max: number) => boundedText(max, singleLine.trim().min(1))

const URL_IN_TEXT = /:\/\/|\bwww\.|\w\.[a-z]{2,}[/?#:]/i

/** The name of a team or a person, which the service's own mail contains. */
export const ownName = (max: number) =>
  title(max).refine((text) => !URL_IN_TEXT.test(text), "May not contain a URL")

/** An optional title: blank text becomes null. */
export const optionalTitle = (max: number) =>
  boundedText(max, singleLine.trim())
    .transform((text) => text || null)
    .nullable()

/** Values by name, with a limit. They are counted before they are validated. */
export const dictionary = <K extends z.ZodString, V extends z.ZodType>(
  name: K,
  value: V,
  maxProperties: number,
) => z.record(name, value).meta({ type: "object", maxProperties })

/** The size of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** A transform. It refuses a text that `parse` answers null for. */
export const parsedBy =
  <T>(parse: (text: string) => T | null, message: string) =>
  (text: string, context: z.RefinementCtx): T => {
    const value = parse(text)
    if (value !== null) return value
    context.addIssue({ code: "custom", message })
    return z.NEVER
  }

/** `a@b.c` or `Name <a@b.c>`, up to 320 characters. */
export const mailbox = boundedText(320).transform(
  parsedBy(parseMailbox, "Must be 'a@b.c' or 'Name <a@b.c>'"),
)

export const mailboxes = z
  .union([mailbox, z.array(mailbox).max(50)])
  .transform((value) => (Array.isArray(value) ? value : [value]))

/** A bare address, lower-cased. */
export const bareAddress = boundedText(320).transform(
  parsedBy((text) => normalizeAddress(text.trim()), "Must be an email address"),
)

/** The body of a PATCH. An empty body is refused. */
export const atLeastOne = <T extends z.ZodObject>(members: T) =>
  members.refine((value) => Object.keys(value).length > 0, "At least one member is required")

/** Where the data of a team is kept, such as `eu`: a jurisdiction of the installation's databases. */
export const jurisdiction = z
  .string()
  .regex(/^[a-z]{2,20}$/, "Must be a jurisdiction, such as eu")
  .describe(
    "Where the team's data is kept. Without it, in a database without a jurisdiction, or in the only jurisdiction that there is.",
  )

/** What a person may choose from for a new team. */
export const jurisdictions = z
  .array(jurisdiction.nullable())
  .describe("The jurisdictions of the databases. Null stands for databases without one.")
