import { type CreateTemplateInput, EdgepostError } from "../../client/index.ts"
import type { Target } from "./report.ts"

const MAX_SLUG = 64

export async function storeTemplate({ client, isDry }: Target, input: CreateTemplateInput) {
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

export const slugOf = (text: string, max = MAX_SLUG): string =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? ["template"]).join("-").slice(0, max).replace(/-$/, "")

/** The same template always gets the same slug, so a second import finds it. */
export const slugWithId = (name: string, id: string): string =>
  `${slugOf(name, MAX_SLUG - 9)}-${slugOf(id).slice(0, 8)}`
