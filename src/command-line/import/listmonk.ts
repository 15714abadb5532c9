import type { Get } from "./api.ts"
import {
  createBooks,
  createPropertyFilter,
  type ImportedContact,
  ROWS_A_CALL,
  storeContacts,
} from "./contacts.ts"
import { inGroups } from "./groups.ts"
import { convertPlaceholders, type OurPlaceholder } from "./placeholders.ts"
import { newPart, type Part, type Source, type Target, take } from "./report.ts"
import { slugWithId, storeTemplate } from "./store-template.ts"
import { storeSuppressions } from "./suppressions.ts"

interface TheirList {
  id: number
  name: string
  optin: string
  subscription_status?: string
}

interface Subscriber {
  id: number
  uuid: string
  email: string
  name: string
  attribs: Record<string, unknown> | null
  status: string
  lists: TheirList[]
}

interface TheirTemplate {
  id: number
  name: string
  type: string
  subject: string
  body: string
}

/** listmonk answers at most 50 records a page. */
const PAGE = 50

export const listmonkSource = (get: Get): Source => ({
  steps: {
    templates: (target) => importTemplates(get, target),
    suppressions: (target) => importBlocklist(get, target),
    contacts: (target) => importSubscribers(get, target),
  },
  leftBehind: [
    "Templates of campaigns: the brand and the layouts of campaigns take their place.",
    "Campaigns, their views and their clicks stay in listmonk.",
    "Bounces: who is blocklisted for them is suppressed here, and others are not.",
    "Public forms: make them anew, and replace them in your pages.",
  ],
})

/** Every record of a list, in the order in which they were made, so that new ones come last. */
async function* readAll<T>(get: Get, path: string): AsyncGenerator<T> {
  for (let page = 1; ; page++) {
    const query = `order=asc&per_page=${PAGE}&page=${page}`
    const { data } = await get<{ data: { results: T[] } }>(`${path}?${query}`)
    if (data.results.length === 0) return
    yield* data.results
  }
}

async function importTemplates(get: Get, target: Target): Promise<Part> {
  const part = newPart()
  const { data } = await get<{ data: TheirTemplate[] }>("/api/templates")
  for (const { id, name, subject, body } of data.filter(({ type }) => type === "tx")) {
    await take(part, name, async () => {
      const [ourSubject = "", bodyHtml = ""] = convertPlaceholders([subject, body], toOurs).texts
      const slug = slugWithId(name, String(id))
      return storeTemplate(target, { slug, name, subject: ourSubject, bodyHtml })
    })
  }
  return part
}

const FIELDS: Record<string, string> = {
  ".Subscriber.Email": "email",
  ".Subscriber.Name": "name",
  ".Subscriber.FirstName": "firstName",
  ".Subscriber.LastName": "lastName",
}

/** A call gives the values of all placeholders, also those that listmonk reads from the subscriber. */
function toOurs(expression: string): OurPlaceholder | undefined {
  const [, value] = /^\.Tx\.Data\.([\w.]+)$/.exec(expression) ?? []
  if (value !== undefined) return { name: value }
  const [, attribute = FIELDS[expression]] =
    /^\.Subscriber\.Attribs\.([\w.]+)$/.exec(expression) ?? []
  return attribute === undefined ? undefined : { name: `subscriber.${attribute}` }
}

async function importBlocklist(get: Get, target: Target): Promise<Part> {
  const part = newPart()
  async function* blocklisted() {
    for await (const { email, status } of readAll<Subscriber>(get, "/api/subscribers")) {
      if (status === "blocklisted") yield email
    }
  }
  await storeSuppressions(part, target, blocklisted(), "From listmonk: blocklisted")
  return part
}

/** Each list is a book. Subscribers without a list are in none. */
async function importSubscribers(get: Get, target: Target): Promise<Part> {
  const part = newPart()
  const books = await createBooks(target)
  const names = await nameBooks(get, part)
  const filter = createPropertyFilter(part)
  let withoutList = 0
  let unconfirmed = 0
  for await (const some of inGroups(readAll<Subscriber>(get, "/api/subscribers"), ROWS_A_CALL)) {
    const byBook = new Map<string, ImportedContact[]>()
    for (const subscriber of some) {
      const contact = toContact(subscriber, filter)
      for (const list of subscriber.lists) {
        const book = names.get(list.id)
        if (book === undefined) continue
        if (isUnconfirmed(list)) unconfirmed++
        const contacts = byBook.get(book) ?? []
        byBook.set(book, contacts)
        contacts.push({ ...contact, subscribed: isSubscribed(subscriber, list) })
      }
      if (!subscriber.lists.some(({ id }) => names.has(id))) withoutList++
    }
    for (const [name, contacts] of byBook) {
      await storeContacts({ part, target, open: () => books(name) }, contacts)
    }
  }
  if (withoutList > 0) {
    part.notes.push(`${withoutList} subscribers are in no list that this user may read: left out.`)
  }
  if (unconfirmed > 0) {
    part.notes.push(
      `${unconfirmed} subscriptions to lists with double opt-in were never confirmed: they are not subscribed here.`,
    )
  }
  return part
}

/** Names of lists need not differ; names of books tell them apart. */
async function nameBooks(get: Get, part: Part): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  const taken = new Set<string>()
  for await (const { id, name } of readAll<TheirList>(get, "/api/lists")) {
    const book = taken.has(name) ? `${name} (${id})` : name
    taken.add(book)
    names.set(id, book)
    if (book !== name) part.notes.push(`The list ${name} with the id ${id} is the book ${book}.`)
  }
  return names
}

function toContact(
  { email, name, attribs }: Subscriber,
  filter: ReturnType<typeof createPropertyFilter>,
) {
  const [firstName = "", ...others] = name.trim().split(/\s+/)
  const properties = filter(attribs ?? {})
  return { email, firstName, lastName: others.join(" "), properties }
}

const isUnconfirmed = ({ optin, subscription_status }: TheirList) =>
  optin === "double" && subscription_status === "unconfirmed"

/** With single opt-in, listmonk mails people whose status stays `unconfirmed`. Any other word is a no. */
const isSubscribed = ({ status }: Subscriber, list: TheirList) =>
  status === "enabled" &&
  (list.subscription_status === "confirmed" ||
    (list.subscription_status === "unconfirmed" && list.optin === "single"))
