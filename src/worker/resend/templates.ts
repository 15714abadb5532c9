import { randomBytes } from "node:crypto"
import type { Hono } from "hono"
import * as z from "zod"
import {
  changeVariables,
  toOurPlaceholders,
  toTheirPlaceholders,
  toVariables,
} from "../../lib/resend-placeholders.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import * as contract from "../templates/contract.ts"
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  updateTemplate,
} from "../templates/templates.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import { unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, shown, toJson } from "./route.ts"

const MANY = 300

const templateMembers = members("from", "reply_to").extend({
  name: z.string().optional(),
  alias: z.string().nullish(),
  subject: z.string().nullish(),
  html: z.string().optional(),
  text: z.string().nullish(),
  variables: z
    .array(
      z.object({
        key: z.string(),
        type: z.unknown().optional(),
        fallback_value: z.unknown().optional(),
      }),
    )
    .max(MANY)
    .optional(),
})
type TemplateMembers = z.output<typeof templateMembers>

const { createTemplate: create, listTemplates: list, getTemplate: get } = contract
const { updateTemplate: update, deleteTemplate: remove } = contract

export function templateRoutes(app: Hono<HttpEnv>): void {
  serve(app, "POST /templates", create, { body: templateMembers }, async (ctx, { body }) => {
    const slug = body.alias ?? newSlug(body.name ?? "")
    const variables = toVariables(body.variables ?? [], textsOf(body))
    const input = { slug, ...toContent(body), variablesSchema: { variables } }
    return made(await createTemplate(ctx, toJson(create, input)))
  })
  serve(app, "GET /templates", list, { query: listQuery }, async (ctx, { query }) =>
    toList(shown(list, await listTemplates(ctx, toPageQuery(query))), toListed),
  )
  serve(app, "GET /templates/:id", get, {}, async (ctx, { params }) =>
    toTemplate(shown(update, await getTemplate(ctx, params.id!))),
  )
  serve(app, "PATCH /templates/:id", update, { body: templateMembers }, async (ctx, asked) => {
    const { alias } = asked.body
    const old = await getTemplate(ctx, asked.params.id!)
    if (alias && alias !== old.slug) throw unsupported("alias", "The alias of a template stays.")
    const content = toContent(asked.body)
    const all = [
      content.subject ?? old.subject,
      content.bodyHtml ?? old.bodyHtml,
      (content.bodyText === undefined ? old.bodyText : content.bodyText) ?? "",
    ]
    const variables = changeVariables(old.variablesSchema.variables, asked.body.variables, {
      written: textsOf(asked.body),
      all,
    })
    const changes = toJson(update, { ...content, variablesSchema: { variables } })
    return made(await updateTemplate(ctx, old.id, changes))
  })
  serve(app, "DELETE /templates/:id", remove, {}, async (ctx, { params }) => {
    const { id } = await getTemplate(ctx, params.id!)
    await deleteTemplate(ctx, id)
    return { object: "template", id, deleted: true }
  })
  // What is stored is published.
  serve(app, "POST /templates/:id/publish", update, {}, async (ctx, { params }) =>
    made(await getTemplate(ctx, params.id!)),
  )
  serve(app, "POST /templates/:id/duplicate", create, {}, async (ctx, { params }) => {
    const { slug, name, subject, bodyHtml, bodyText, variablesSchema } = await getTemplate(
      ctx,
      params.id!,
    )
    const copy = { slug: newSlug(slug), name, subject, bodyHtml, bodyText, variablesSchema }
    return made(await createTemplate(ctx, toJson(create, copy)))
  })
}

const made = ({ id }: { id: string }) => ({ object: "template", id })

const MAX_NAME_IN_SLUG = 50

/** A slug that no other template has: the name's letters, and six random digits. */
const newSlug = (name: string): string => {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ["template"]
  const start = words.join("-").slice(0, MAX_NAME_IN_SLUG).replace(/-$/, "")
  return `${start}-${randomBytes(3).toString("hex")}`
}

const textsOf = ({ subject, html, text }: TemplateMembers) =>
  [subject, html, text].map((written) => written ?? "")

function toContent(body: TemplateMembers) {
  if (body.from) throw unsupported("from", "A template has no sender: say `from` with each email.")
  if (body.reply_to) throw unsupported("reply_to", "Say `replyTo` with each email.")
  return {
    name: body.name,
    subject: body.subject ? toOurPlaceholders(body.subject) : undefined,
    bodyHtml: body.html === undefined ? undefined : toOurPlaceholders(body.html),
    bodyText: body.text ? toOurPlaceholders(body.text) : body.text,
  }
}

const toListed = (one: Wire<typeof contract.template>) => ({
  id: one.id,
  name: one.name,
  alias: one.slug,
  status: "published",
  published_at: one.updatedAt,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
})

const toTemplate = (one: Wire<typeof contract.template>) => ({
  object: "template",
  ...toListed(one),
  subject: toTheirPlaceholders(one.subject),
  html: toTheirPlaceholders(one.bodyHtml),
  text: one.bodyText === null ? null : toTheirPlaceholders(one.bodyText),
  from: null,
  reply_to: null,
  variables: one.variablesSchema.variables.map(({ name, type = "string", default: fallback }) => ({
    key: name,
    type,
    fallback_value: fallback ?? null,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
  })),
  has_unpublished_versions: false,
  current_version_id: `${one.id}:${one.version}`,
})
