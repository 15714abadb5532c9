import * as z from "zod"
import { CONSENT_MEANINGS } from "../../lib/consent/meanings.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { dictionary, jsonBytes, lines, optionalTitle, timestamp } from "../platform/http/shapes.ts"

export const MAX_PROPERTIES = 50
export const MAX_NAME_CHARACTERS = 200
export const MAX_PROPERTY_NAME_CHARACTERS = 64
export const MAX_PROPERTY_CHARACTERS = 2_000
/** As JSON. Each event of a contact holds a copy, and an address may be in every book of a team. */
export const MAX_PROPERTIES_BYTES = 16 * 1024
export const TOO_LARGE_PROPERTIES = "At most 16 KiB of properties"

/** The reason of an unsubscription for which no caller gave one. */
export const UNSUBSCRIBE_REASONS = {
  link: "link",
  oneClick: "one-click",
  mail: "mail",
  import: "import",
  preferences: "preferences",
} as const

export const personName = optionalTitle(MAX_NAME_CHARACTERS)

export const properties = dictionary(
  lines(MAX_PROPERTY_NAME_CHARACTERS).min(1),
  z.union([lines(MAX_PROPERTY_CHARACTERS), z.number(), z.boolean()]),
  MAX_PROPERTIES,
)
  .refine((value) => jsonBytes(value) <= MAX_PROPERTIES_BYTES, TOO_LARGE_PROPERTIES)
  .describe("At most 16 KiB as JSON.")
export type Properties = z.output<typeof properties>

/** As many as a team may have topics. */
const MAX_CHOICES = 50

export const topicChoices = dictionary(z.string(), z.boolean(), MAX_CHOICES).describe(
  "By the topic's id: true wants its mail, false does not.",
)
export type TopicChoices = z.output<typeof topicChoices>

/** A PATCH adds these choices to the contact's own. */
export const topicChanges = dictionary(z.string(), z.boolean().nullable(), MAX_CHOICES).describe(
  "Changes the choices of these topics alone; null takes a choice back.",
)
export type TopicChanges = z.output<typeof topicChanges>

const COLUMN_TARGETS = [
  "email",
  "firstName",
  "lastName",
  "subscribed",
  "unsubscribed",
  "property",
  "skip",
] as const
const MAX_COLUMN_NAME_CHARACTERS = 500
const MAX_COLUMNS = 200
const MAX_VALUES = 200

/** What the columns of a file mean, by their names. */
export const columnMapping = dictionary(
  z.string().max(MAX_COLUMN_NAME_CHARACTERS),
  z.union([
    z.enum(COLUMN_TARGETS),
    dictionary(z.string().max(MAX_PROPERTY_CHARACTERS), z.enum(CONSENT_MEANINGS), MAX_VALUES),
  ]),
  MAX_COLUMNS,
)
export type ColumnMapping = z.output<typeof columnMapping>

export const importWarning = z.object({
  column: z.string(),
  message: z.string(),
  values: z
    .array(
      z.object({
        value: z.string(),
        count: z.int(),
        meaning: z.enum(CONSENT_MEANINGS).nullable(),
      }),
    )
    .describe(
      "The distinct values and what they were taken for; null is no yes. `*`: all that are not named.",
    ),
})
export type ImportWarning = z.output<typeof importWarning>

/** Where a change of consent came from. */
export const CONSENT_SOURCES = [
  "link",
  "one-click",
  "mail",
  "preferences",
  "import",
  "key",
  "person",
  "other-book",
  "sequence",
  "form",
  "confirmation",
] as const
export type ConsentSource = (typeof CONSENT_SOURCES)[number]

/** A change of a contact's consent, as its history keeps it. */
export interface ConsentEntry {
  at: number
  /** Null for the subscription of the book. */
  topicId: string | null
  /** Null where a choice was taken back. */
  subscribed: boolean | null
  by: ConsentSource
  /** The API key, the person or the form. */
  actorId: string | null
}

/** Whether the person was asked by mail. A pending contact is not subscribed. */
export const CONFIRMATIONS = ["pending", "confirmed"] as const

/** What a person writes in a form beside the address. */
export interface Submitted {
  firstName?: string
  lastName?: string
  properties?: Properties
}

export const contactBook = z
  .object({
    id: z.string(),
    name: z.string(),
    defaultFrom: z.string().nullable(),
    contactCount: z.int(),
    subscribedCount: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "ContactBook",
    example: {
      id: exampleId("contactBook"),
      name: "Readers",
      defaultFrom: "News <news@demo.test>",
      contactCount: 0,
      subscribedCount: 0,
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type ContactBook = z.output<typeof contactBook>

export const contact = z
  .object({
    id: z.string(),
    bookId: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    subscribed: z.boolean(),
    unsubscribeReason: z
      .string()
      .nullable()
      .describe("As the caller gave it, or `link`, `one-click`, `mail`, `preferences`, `import`."),
    unsubscribedAt: timestamp.nullable(),
    confirmation: z
      .enum(CONFIRMATIONS)
      .nullable()
      .describe(
        "`pending`: asked by mail to confirm, not subscribed, and deleted after 7 days without an answer. Null: never asked.",
      ),
    confirmedAt: timestamp.nullable(),
    topics: z
      .record(z.string(), z.boolean())
      .describe("What the contact has chosen, by the ids of topics."),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "Contact",
    example: {
      id: exampleId("contact"),
      bookId: exampleId("contactBook"),
      email: "ada@example.com",
      firstName: "Ada",
      lastName: null,
      properties: { city: "London" },
      subscribed: true,
      unsubscribeReason: null,
      unsubscribedAt: null,
      confirmation: null,
      confirmedAt: null,
      topics: {},
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Contact = z.output<typeof contact>
