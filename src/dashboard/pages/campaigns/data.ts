import { queryOptions } from "@tanstack/react-query"
import type { Page } from "../../../client/pages.ts"
import type { Campaign, Contact, ContactBook, Domain } from "../../../client/types.ts"
import type { listLayouts } from "../../../worker/campaigns/layouts/contract.ts"
import { api, call } from "../../api/api.ts"
import type { PageQuery } from "../../api/pages.ts"
import type { ReplyOf } from "../../api/session.ts"

const SECOND = 1_000
const MAX_CHOICES = 1_000
const SAMPLE = 100

export type Layout = ReplyOf<typeof listLayouts>["data"][number]

/** While it is being sent, its counts change every moment. */
export const campaignQuery = (id: string) =>
  queryOptions<Campaign>({
    queryKey: ["campaigns", "one", id],
    queryFn: () => api.campaigns.get(id),
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (state.data?.status === "sending" ? SECOND : false),
  })

export const audienceQuery = ({ id, bookId, segmentId, topicId }: Campaign) =>
  queryOptions({
    queryKey: ["campaigns", "audience", id, bookId, segmentId, topicId],
    queryFn: () => api.campaigns.audience(id),
    staleTime: 0,
  })

export const domainsQuery = queryOptions<Domain[]>({
  queryKey: ["domains", "choices"],
  queryFn: () => allOf((query) => api.domains.list(query)),
})

export const booksQuery = queryOptions<ContactBook[]>({
  queryKey: ["contact-books", "choices"],
  queryFn: () => allOf((query) => api.contactBooks.list(query)),
})

export const layoutsQuery = queryOptions<Layout[]>({
  queryKey: ["layouts", "choices"],
  queryFn: () =>
    allOf((query) =>
      call<typeof listLayouts>({ method: "GET", path: "/layouts", query: { ...query } }),
    ),
})

/** The newest contacts of a book: for the preview, and to know which properties there are. */
export const sampleQuery = (bookId: string) =>
  queryOptions<Contact[]>({
    queryKey: ["contacts", "sample", bookId],
    queryFn: async () => (await api.contacts.list(bookId, { limit: SAMPLE })).data,
  })

/** The choices of a menu, at most a thousand. */
export async function allOf<T>(list: (query: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = []
  for (let cursor: string | undefined; found.length < MAX_CHOICES; ) {
    const page = await list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.data)
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return found
}

/** The verified domain that an address belongs to: the longest name that fits. */
export function domainOfSender(from: string, domains: readonly Domain[]): Domain | undefined {
  const host = /@([^@<>\s]+)>?\s*$/.exec(from)?.[1]?.toLowerCase() ?? ""
  return domains
    .filter(({ name }) => host === name || host.endsWith(`.${name}`))
    .toSorted((a, b) => score(b) - score(a))[0]
}

const score = ({ status, name }: Domain) => (status === "verified" ? 1_000 : 0) + name.length

/** The contact's own fields, and the properties that contacts of the book have. */
export function fieldsOf(sample: readonly Contact[], defaults: Record<string, string> | null) {
  const properties = sample.flatMap((contact) => Object.keys(contact.properties))
  return [
    ...new Set([
      ...["firstName", "lastName", "email"],
      ...properties.map((name) => `properties.${name}`),
      ...Object.keys(defaults ?? {}),
    ]),
  ].slice(0, 100)
}
