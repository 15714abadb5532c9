import * as z from "zod"
import { MAX_BODY_CHARACTERS, VARIABLE_NAME } from "../../lib/placeholder-shapes.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import {
  atLeastOne,
  boundedText,
  dictionary,
  jsonBytes,
  timestamp,
  title,
  wellFormed,
} from "../platform/http/shapes.ts"

const MAX_VARIABLES = 200
const MAX_VARIABLES_BYTES = 64 * 1024
/** Twice the depth of a name. */
const MAX_VARIABLES_DEPTH = 8
const RENDER_MAX_BYTES = 256 * 1024

export const variables = dictionary(z.string(), z.unknown(), MAX_VARIABLES)
  .refine((value) => isWithin(MAX_VARIABLES_DEPTH, value), {
    error: `At most ${MAX_VARIABLES_DEPTH} levels`,
    abort: true,
  })
  .refine((value) => jsonBytes(value) <= MAX_VARIABLES_BYTES, "At most 64 KiB of variables")
  .refine(...wellFormed)

/** Whether objects and lists are nested at most this deep. */
const isWithin = (levels: number, value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isWithin(levels - 1, inner)))

export type Variables = z.output<typeof variables>

export const VARIABLE_TYPES = ["string", "number", "boolean"] as const

const declaredVariable = z
  .object({
    name: z.string().regex(new RegExp(`^${VARIABLE_NAME}$`), "Not a variable's name"),
    type: z
      .enum(VARIABLE_TYPES)
      .optional()
      .describe("When set, a value of another type is refused."),
    default: z
      .union([boundedText(MAX_BODY_CHARACTERS), z.number(), z.boolean()])
      .optional()
      .describe("Stands in for a missing value; without one the value is required."),
  })
  .refine(
    ({ type, default: value }) => !type || value === undefined || typeof value === type,
    "The default is not of the declared type",
  )

export const contentExample = {
  name: "Welcome",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
  bodyText: null,
  variablesSchema: { variables: [{ name: "name", type: "string", default: "there" }] },
}

const variablesSchema = z
  .object({
    variables: z
      .array(declaredVariable)
      .max(MAX_VARIABLES)
      .refine(
        (list) => new Set(list.map(({ name }) => name)).size === list.length,
        "A name may be declared once",
      ),
  })
  .meta({ id: "VariablesSchema", example: contentExample.variablesSchema })
export type VariablesSchema = z.output<typeof variablesSchema>

export const slug = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "Lower-case letters and digits, joined by hyphens")

export const content = z.object({
  name: title(200),
  subject: title(998).describe("May contain `{{ name }}`."),
  bodyHtml: boundedText(MAX_BODY_CHARACTERS, z.string().min(1)).describe(
    "May contain `{{ name }}`; values are HTML-escaped.",
  ),
  bodyText: boundedText(MAX_BODY_CHARACTERS)
    .nullable()
    .describe("May contain `{{ name }}`; values stand as they are."),
  variablesSchema,
})

const templateExample = {
  id: exampleId("template"),
  slug: "welcome",
  ...contentExample,
  version: 1,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
}

export const template = z
  .object({
    id: z.string(),
    slug: z.string(),
    ...content.shape,
    version: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Template", example: templateExample })
export type Template = z.output<typeof template>
export type TemplateContent = z.output<typeof content>

export const versionExample = {
  version: 1,
  snapshot: contentExample,
  publishedBy: "Ada",
  createdAt: EXAMPLE_TIME,
}

export const templateVersion = z
  .object({
    version: z.int(),
    snapshot: content,
    publishedBy: z
      .string()
      .nullable()
      .describe("The name of the person or the API key. Null for versions of earlier releases."),
    createdAt: timestamp,
  })
  .meta({ id: "TemplateVersion", example: versionExample })

const tag = "Templates"

export const createTemplate = endpoint({
  name: "templates.create",
  call: "POST /templates",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Create a template",
  description:
    "Placeholders are `{{ name }}` or `{{ order.total }}`, up to four names deep; anything else between braces stays as it is. See [templates](#template-syntax).",
  example: () => ({ slug: "welcome", ...contentExample }),
  refuses: { conflict: "The slug is taken." },
  json: content.extend({
    slug,
    bodyText: content.shape.bodyText.default(null),
    variablesSchema: variablesSchema.default({ variables: [] }),
  }),
  status: 201,
  response: template,
})

export const listTemplates = endpoint({
  name: "templates.list",
  call: "GET /templates",
  access: "full",
  tag,
  summary: "List templates, newest first",
  query: pageQuery,
  response: pageOf(template),
})

export const getTemplate = endpoint({
  name: "templates.get",
  call: "GET /templates/:slugOrId",
  access: "full",
  tag,
  summary: "Read a template and its 20 newest versions",
  description: "The oldest of these versions are left out if all have more than 5 MiB.",
  response: template.extend({ versions: z.array(templateVersion) }).meta({
    id: "TemplateWithVersions",
    example: { ...templateExample, versions: [versionExample] },
  }),
})

export const updateTemplate = endpoint({
  name: "templates.update",
  call: "PATCH /templates/:slugOrId",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Change a template, all but its slug",
  description: "Any change makes the next version; a change of nothing makes none.",
  example: () => ({ subject: "Welcome, {{ name }}" }),
  exampleReply: () => ({ version: 2 }),
  json: atLeastOne(content.partial()),
  response: template,
})

export const deleteTemplate = endpoint({
  name: "templates.remove",
  call: "DELETE /templates/:slugOrId",
  access: "full",
  tag,
  summary: "Delete a template and its versions",
})

export const renderTemplate = endpoint({
  name: "templates.render",
  call: "POST /templates/:slugOrId/render",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Render a template; nothing is sent",
  description:
    "Byte for byte what a send with the same variables stores. Missing variables are named in `details.missing`, wrong ones in `details.invalid`.",
  example: () => ({ variables: { name: "Ada" } }),
  json: z.object({ variables: variables.default({}) }),
  bodyOptional: true,
  maxBytes: RENDER_MAX_BYTES,
  authenticatesItself: true,
  retryable: true,
  response: z
    .object({ subject: z.string(), html: z.string(), text: z.string().nullable() })
    .meta({ example: { subject: "Hello Ada", html: "<p>Hello Ada</p>", text: null } }),
})
