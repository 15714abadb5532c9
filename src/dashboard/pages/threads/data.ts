import { queryOptions } from "@tanstack/react-query"
import type { Inbox, ReceivedEmailWithTexts, Thread } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import type { ListPage, PageQuery } from "../../api/pages.ts"
import { queries } from "../../api/queries.ts"
import { allOf } from "../campaigns/data.ts"

export const inboxesQuery = queryOptions<Inbox[]>({
  queryKey: ["inboxes"],
  queryFn: () => allOf((query) => api.inboxes.list(query)),
})

export const threadQuery = (id: string) =>
  queryOptions<Thread>({ queryKey: ["thread", id], queryFn: () => api.threads.get(id) })

/** Texts do not change once a message was read from its raw form. */
export const receivedQuery = (id: string) =>
  queryOptions<ReceivedEmailWithTexts>({
    queryKey: ["received", id],
    queryFn: () => api.receivedEmails.get(id),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What people and their mailboxes write. Reports of other servers are in no thread. */
const KINDS = ["message" as const, "autoReply" as const]

export const STATES = ["open", "done", "spam"] as const
export const VIEWS = ["open", "unread", "done", "spam", "all"] as const
export type View = (typeof VIEWS)[number]

interface Person {
  email: string
  name: string | null
}

/** A thread, or a message that a search has found. */
export interface Row {
  /** Sorts by the newest message. */
  id: string
  threadId: string
  inboxId: string
  people: readonly Person[]
  subject: string
  at: string
  /** Of a thread. */
  thread?: Thread
}

export interface Search {
  view: View
  q: string
  inboxId: string
}

/** Lists threads by their state. Unread and found messages lead to their threads. */
export const listRows =
  ({ view, q, inboxId }: Search): ListPage<Row> =>
  async (query, options) => {
    const ofInbox = inboxId ? { inboxId } : {}
    if (q || view === "unread") {
      const asked = { ...query, ...(q ? toFilter(q) : { read: false }), kind: KINDS, ...ofInbox }
      const page = await api.receivedEmails.list(asked, options)
      return { ...page, data: page.data.flatMap(toFound) }
    }
    const state = view === "all" ? {} : { state: [view] }
    const page = await api.threads.list({ ...query, ...state, ...ofInbox }, options)
    return { ...page, data: page.data.map(toRow) }
  }

/** An address or a domain finds senders, other words find subjects. */
export const toFilter = (q: string) => (/^\S*@\S*$/.test(q) ? { from: q } : { subject: q })

const toRow = (thread: Thread): Row => ({
  id: `${thread.lastMessageAt} ${thread.id}`,
  threadId: thread.id,
  inboxId: thread.inboxId,
  people: thread.participants,
  subject: thread.subject,
  at: thread.lastMessageAt,
  thread,
})

type Found = Awaited<ReturnType<typeof api.receivedEmails.list>>["data"][number]

const toFound = ({ id, threadId, inboxId, from, subject, createdAt }: Found): Row[] =>
  threadId === null
    ? []
    : [{ id: `${createdAt} ${id}`, threadId, inboxId, people: [from], subject, at: createdAt }]

/** A thread that got a message while the list is shown is in it twice: its newest row counts. */
export const oncePerThread = (rows: readonly Row[]): Row[] => [
  ...rows
    .reduce(
      (found, row) => (found.has(row.threadId) ? found : found.set(row.threadId, row)),
      new Map<string, Row>(),
    )
    .values(),
]

export const listUnread = (query: PageQuery, options: object) =>
  api.receivedEmails.list({ ...query, read: false, kind: KINDS }, options)

export const refreshInboxes = () => queries.invalidateQueries({ queryKey: ["inboxes"] })
