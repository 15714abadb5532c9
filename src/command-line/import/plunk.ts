import type { Get } from "./api.ts"
import { createBooks, createPropertyFilter, fillBook } from "./contacts.ts"
import { convertPlaceholders, type OurPlaceholder } from "./placeholders.ts"
import { newPart, type Part, type Source, type Target, take } from "./report.ts"
import { slugWithId, storeTemplate } from "./store-template.ts"

interface TheirContact {
  id: string
  email: string
  subscribed: boolean
  data: Record<string, unknown> | null
}

interface TheirTemplate {
  id: string
  name: string
  subject: string
  body: string
  from: string | null
}

const PAGE = 100
const BOOK = "Plunk"

export const plunkSource = (get: Get): Source => ({
  steps: {
    templates: (target) => importTemplates(get, target),
    contacts: (target) => importContacts(get, target),
  },
  leftBehind: [
    "API keys and webhooks: make them anew with edgepost or in the dashboard.",
    "Segments: filters over the book take their place.",
    "Workflows: build them again as sequences. Who is in the middle of one stays there.",
    "Campaigns, emails and events stay at Plunk.",
    "Bounces and complaints: Plunk unsubscribes such contacts, so they are not subscribed here, but not suppressed.",
  ],
})

async function importTemplates(get: Get, target: Target): Promise<Part> {
  const part = newPart()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const reply = await get<{ data: TheirTemplate[]; totalPages: number }>(
      `/templates?pageSize=${PAGE}&page=${page}&sort=createdAt&dir=asc`,
    )
    pages = reply.totalPages
    for (const { id, name, subject, body, from } of reply.data) {
      await take(part, name, async () => {
        const { texts, variables } = convertPlaceholders([subject, body], toOurs)
        const [ourSubject = "", bodyHtml = ""] = texts
        const content = { name, subject: ourSubject, bodyHtml, variablesSchema: { variables } }
        if (from) part.notes.push(`${name} had the sender ${from}: here each email has its own.`)
        return storeTemplate(target, { slug: slugWithId(name, id), ...content })
      })
    }
  }
  return part
}

const PLACEHOLDER = /^([\w.]+)(?:\s*(\?\?|\|\s*default:)\s*(?:"([^"]*)"|'([^']*)'|([^"'|?{}]+)))?$/

/** `{{ name }}`, `{{ name ?? there }}` and `{{ name | default: "there" }}`. */
function toOurs(expression: string): OurPlaceholder | undefined {
  const decoded = expression.replace(/&quot;|&#34;/g, '"').replace(/&#39;|&apos;/g, "'")
  const [, name, sign, double, single, bare] = PLACEHOLDER.exec(decoded) ?? []
  const isVariable = bare !== undefined && sign !== "??"
  if (name === undefined || isVariable) return undefined
  const fallback = double ?? single ?? bare
  return { name, ...(fallback !== undefined && { default: fallback }) }
}

async function importContacts(get: Get, target: Target): Promise<Part> {
  const part = newPart()
  const books = await createBooks(target)
  const filter = createPropertyFilter(part)
  async function* contacts() {
    for await (const { email, subscribed, data } of readContacts(get)) {
      const { firstName, lastName, ...others } = filter(data ?? {})
      yield {
        email,
        subscribed: subscribed === true,
        properties: others,
        firstName: firstName ?? "",
        lastName: lastName ?? "",
      }
    }
  }
  await fillBook({ part, target, open: () => books(BOOK) }, contacts())
  return part
}

async function* readContacts(get: Get): AsyncGenerator<TheirContact> {
  for (let cursor: string | undefined; ; ) {
    const query = `limit=${PAGE}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = await get<{ data: TheirContact[]; cursor?: string }>(`/contacts?${query}`)
    yield* page.data
    cursor = page.cursor
    if (cursor === undefined) return
  }
}
