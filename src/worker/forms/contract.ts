import * as z from "zod"
import { MAX_NAME_CHARACTERS, MAX_PROPERTY_NAME_CHARACTERS } from "../contacts/shapes.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { OTHER_DOMAIN } from "../platform/http/errors.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, boundedText, lines, timestamp, title } from "../platform/http/shapes.ts"
import { confirmationMail } from "./confirmation-contract.ts"
import { ADDRESS_FIELD, FIELD_TYPES, RESERVED_NAMES } from "./field-names.ts"

const MAX_FIELDS = 20
const MAX_OPTIONS = 100

const field = z
  .object({
    name: lines(MAX_PROPERTY_NAME_CHARACTERS, z.string().trim().min(1)).refine(
      (name) => !RESERVED_NAMES.includes(name),
      "This name is used by the form itself",
    ),
    label: title(500),
    required: z.boolean().default(false),
    type: z.enum(FIELD_TYPES).default("text"),
    options: z.array(title(MAX_NAME_CHARACTERS)).min(1).max(MAX_OPTIONS).optional(),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string) =>
      issues.push({ code: "custom", path: [path], message, input: value })
    const needed = NEEDED_TYPES[value.name]
    if (needed && value.type !== needed) refuse("type", `Must be ${needed} for this name`)
    if (value.type === "select" && !value.options) refuse("options", "A select needs options")
    if (value.type !== "select" && value.options) refuse("options", "Only a select has options")
  })
export type FormField = z.output<typeof field>

const NEEDED_TYPES: Record<string, FormField["type"]> = {
  [ADDRESS_FIELD]: "email",
  firstName: "text",
  lastName: "text",
}

const ADDRESS: FormField = {
  name: ADDRESS_FIELD,
  label: "Email address",
  required: true,
  type: "email",
}

const fields = z
  .array(field)
  .max(MAX_FIELDS)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
    error: "Each field needs a name of its own",
  })
  .transform((list) => {
    const named = list.map((one) => (one.name === ADDRESS_FIELD ? { ...one, required: true } : one))
    return named.some(({ name }) => name === ADDRESS_FIELD) ? named : [ADDRESS, ...named]
  })
  .describe(
    "`firstName` and `lastName` are the contact's, others its properties. They are written once the person confirms. `email` is always asked for, and is put first if it is missing.",
  )

const pageUrl = boundedText(2048, z.string().trim())
  .refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    "Must be an http or https URL",
  )
  .nullable()

const origin = z
  .string()
  .max(300)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
  }, "Must be an origin, such as https://example.com")

const shape = z.object({
  name: title(200),
  topicIds: z
    .array(z.string())
    .max(50)
    .transform((ids) => [...new Set(ids)])
    .describe("The topics that a confirmation subscribes to, beside the book."),
  fields,
  wording: lines(2_000, z.string().trim().min(1)).describe(
    "What people agree to. Each confirmation keeps the wording that was shown.",
  ),
  confirm: z
    .boolean()
    .describe(
      "`false` subscribes at once, but never an address that has said no: that one is asked.",
    ),
  confirmation: confirmationMail
    .nullable()
    .describe(
      "The mail that asks. `{{ confirmUrl }}` is its link; a button is added where it is missing. Null: a mail of ours. Merge fields but `email` are empty, since anybody can write in a form.",
    ),
  doneUrl: pageUrl.describe("Where a browser goes after the form was sent."),
  confirmedUrl: pageUrl.describe("Where a browser goes after the confirmation."),
  origins: z
    .array(origin)
    .max(20)
    .describe("The sites whose scripts may send the form, by CORS. A plain HTML form needs none."),
  enabled: z.boolean(),
})

const secret = z
  .string()
  .min(1)
  .max(200)
  .nullable()
  .describe("The secret of Cloudflare Turnstile. It is never shown again; null removes it.")

const inputExample = {
  bookId: exampleId("contactBook"),
  name: "Newsletter",
  fields: [
    { name: "email", label: "Email address", required: true, type: "email" as const },
    { name: "firstName", label: "First name", required: false, type: "text" as const },
  ],
  wording: "Send me the newsletter once a month. I can leave at any time.",
}

export const form = z
  .object({
    ...shape.shape,
    id: z.string(),
    bookId: z.string(),
    topicIds: z.array(z.string()),
    fields: z.array(z.object(field.shape)),
    hasTurnstile: z.boolean().describe("A Turnstile secret is set."),
    counts: z.object({
      asked: z.int().describe("People who were asked to confirm, or subscribed at once."),
      confirmed: z.int(),
      medianSeconds: z
        .number()
        .nullable()
        .describe("From the question to the confirmation, of the newest 101 confirmations."),
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "Form",
    example: {
      id: exampleId("form"),
      ...inputExample,
      topicIds: [],
      confirm: true,
      confirmation: null,
      doneUrl: null,
      confirmedUrl: null,
      origins: [],
      enabled: true,
      hasTurnstile: false,
      counts: { asked: 0, confirmed: 0, medianSeconds: null },
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Form = z.output<typeof form>

const tag = "Forms"

export const createForm = endpoint({
  name: "forms.create",
  call: "POST /forms",
  access: "full",
  tag,
  summary: "Create a form",
  description:
    "A form subscribes people to a contact book: by a hosted page at `/f/:id`, a plain HTML form that posts there, or JSON. Each address is asked by mail to confirm first.",
  example: () => inputExample,
  refuses: {
    forbidden: OTHER_DOMAIN,
    validation_error: "Also an unknown book or topic.",
    conflict: "The book has no `defaultFrom`, or the team has 100 forms.",
  },
  json: shape.extend({
    bookId: z.string().describe("The contact book that it subscribes to."),
    topicIds: shape.shape.topicIds.default([]),
    fields: fields.default([ADDRESS]),
    confirm: shape.shape.confirm.default(true),
    confirmation: shape.shape.confirmation.default(null),
    doneUrl: shape.shape.doneUrl.default(null),
    confirmedUrl: shape.shape.confirmedUrl.default(null),
    origins: shape.shape.origins.default([]),
    turnstileSecret: secret.default(null),
    enabled: shape.shape.enabled.default(true),
  }),
  status: 201,
  response: form,
})

export const listForms = endpoint({
  name: "forms.list",
  call: "GET /forms",
  access: "full",
  tag,
  summary: "List forms, newest first",
  query: pageQuery.extend({ bookId: z.string().optional() }),
  response: pageOf(form),
})

export const getForm = endpoint({
  name: "forms.get",
  call: "GET /forms/:id",
  access: "full",
  tag,
  summary: "Read a form with its figures",
  response: form,
})

export const updateForm = endpoint({
  name: "forms.update",
  call: "PATCH /forms/:id",
  access: "full",
  tag,
  summary: "Change a form",
  description: "Its book stays. People who were asked already confirm what they have seen.",
  example: () => ({ name: "Monthly newsletter", enabled: false }),
  refuses: { forbidden: OTHER_DOMAIN, validation_error: "Also an unknown topic." },
  json: atLeastOne(shape.extend({ turnstileSecret: secret }).partial()),
  response: form,
})

export const deleteForm = endpoint({
  name: "forms.remove",
  call: "DELETE /forms/:id",
  access: "full",
  tag,
  summary: "Delete a form",
  description:
    "Its contacts and their history of consent stay. Links of mail that was sent still confirm.",
})
