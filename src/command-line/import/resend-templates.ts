import type { CreateTemplateInput } from "../../client/index.ts"
import { toOurPlaceholders, toVariables } from "../../lib/resend-placeholders.ts"
import { newPart, type Part, type Target, take } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"
import { slugOf, slugWithId, storeTemplate } from "./store-template.ts"

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

export async function importTemplates(resend: ResendApi, target: Target): Promise<Part> {
  const part = newPart()
  for await (const { id, name } of resend.all<TheirTemplate>("/templates")) {
    await take(part, name, async () => {
      const theirs = await resend.get<TheirTemplate>(`/templates/${id}`)
      note(part, theirs)
      return storeTemplate(target, toInput(theirs))
    })
  }
  return part
}

const THREE_BRACES = /\{\{\{[^}]*\}\}\}/

function toInput(theirs: TheirTemplate): CreateTemplateInput {
  const { alias, id, name, subject, html, text, variables } = theirs
  const texts = [subject ?? "", html ?? "", text ?? ""]
  const [left] = THREE_BRACES.exec(toOurPlaceholders(texts.join("\n"))) ?? []
  if (left !== undefined) throw new Error(`${left} has no counterpart.`)
  return {
    slug: alias ? slugOf(alias) : slugWithId(name, id),
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
