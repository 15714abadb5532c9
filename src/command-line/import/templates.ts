import { type CreateTemplateInput, EdgepostError } from "../../client/index.ts"
import { toOurPlaceholders, toVariables } from "../../lib/resend-placeholders.ts"
import type { Target } from "./import-resend.ts"
import { newPart, type Part, take } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"

interface TheirTemplate {
  id: string
  name: string
  alias: string | null
  subject: string | null
  html: string | null
  text: string | null
  from: string | null
  reply_to: string[] | string | null
  status?: string
  variables:
    | { key: string; type: "string" | "number"; fallback_value: string | number | null }[]
    | null
}

const MAX_SLUG = 64

export async function importTemplates(resend: ResendApi, target: Target): Promise<Part> {
  const part = newPart()
  for await (const { id, name } of resend.all<TheirTemplate>("/templates")) {
    await take(part, name, async () => {
      const theirs = await resend.get<TheirTemplate>(`/templates/${id}`)
      note(part, theirs)
      return store(target, toInput(theirs))
    })
  }
  return part
}

/** The same template always gets the same slug, so a second import finds it. */
function toInput(theirs: TheirTemplate): CreateTemplateInput {
  const { alias, id, name, subject, html, text, variables } = theirs
  const texts = [subject ?? "", html ?? "", text ?? ""]
  return {
    slug: alias ? slugOf(alias) : `${slugOf(name, MAX_SLUG - 9)}-${slugOf(id).slice(0, 8)}`,
    name,
    subject: subject ? toOurPlaceholders(subject) : name,
    bodyHtml: toOurPlaceholders(html ?? ""),
    bodyText: text ? toOurPlaceholders(text) : null,
    variablesSchema: {
      variables: toVariables(variables ?? [], texts) as NonNullable<
        CreateTemplateInput["variablesSchema"]
      >["variables"],
    },
  }
}

async function store({ client, isDry }: Target, input: CreateTemplateInput) {
  const { slug, ...content } = input
  const known = await client.templates.get(slug).catch((error: unknown) => {
    if (error instanceof EdgepostError && error.status === 404) return undefined
    throw error
  })
  if (!known) {
    if (!isDry) await client.templates.create(input)
    return "added"
  }
  const isSame = Object.entries(content).every(
    ([field, value]) =>
      JSON.stringify(value) === JSON.stringify(known[field as keyof typeof content]),
  )
  if (isSame) return "kept"
  if (!isDry) await client.templates.update(slug, content)
  return "changed"
}

function note({ notes }: Part, { name, alias, subject, from, reply_to, status }: TheirTemplate) {
  if (!alias) notes.push(`${name} had no alias: its slug is made of its name.`)
  else if (slugOf(alias) !== alias)
    notes.push(`${name}: its alias ${alias} is ${slugOf(alias)} here.`)
  if (!subject) notes.push(`${name} had no subject: its name stands in, unless an email has one.`)
  if (from || reply_to?.length) {
    notes.push(`${name} had a sender: here \`from\` and \`replyTo\` belong to each email.`)
  }
  if (status === "draft") notes.push(`${name} was a draft: here it can be sent at once.`)
}

const slugOf = (text: string, max = MAX_SLUG): string =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? ["template"]).join("-").slice(0, max).replace(/-$/, "")
