export interface FakeListmonk {
  lists: { id: number; name: string; optin: "single" | "double" }[]
  subscribers: FakeSubscriber[]
  templates: { id: number; name: string; type: string; subject: string; body: string }[]
  /** Answers instead of the API, where it returns something. */
  refuse(path: string, page: number): Response | null
  answer(request: Request): Response
}

interface FakeSubscriber {
  email: string
  name: string
  attribs?: Record<string, unknown>
  status?: "enabled" | "disabled" | "blocklisted"
  /** The status of the subscription by the list's id. */
  lists: Record<number, "unconfirmed" | "confirmed" | "unsubscribed">
}

const MAX_PER_PAGE = 50

/** listmonk's API of version 6, with what the import reads: its pages, its names, its newest-first order. */
export function makeFakeListmonk(authorization: string): FakeListmonk {
  const fake: FakeListmonk = {
    lists: [],
    subscribers: [],
    templates: [],
    refuse: () => null,
    answer(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (request.headers.get("authorization") !== authorization)
        return fail(403, "invalid session")
      const refused = fake.refuse(pathname, Number(searchParams.get("page")))
      if (refused) return refused
      if (pathname === "/api/templates") return Response.json({ data: fake.templates })
      if (pathname === "/api/lists") return pageOf(fake.lists, searchParams)
      if (pathname === "/api/subscribers")
        return pageOf(fake.subscribers.map(toRecord), searchParams)
      return fail(404, "Not Found")
    },
  }
  const toRecord = ({ lists, ...one }: FakeSubscriber, index: number) => ({
    id: index + 1,
    uuid: crypto.randomUUID(),
    ...{ attribs: {}, status: "enabled" },
    ...one,
    lists: Object.entries(lists).map(([id, subscription_status]) => ({
      subscription_status,
      ...fake.lists.find((list) => list.id === Number(id)),
    })),
  })
  return fake
}

function pageOf(records: readonly object[], query: URLSearchParams): Response {
  const all = query.get("order") === "asc" ? records : records.toReversed()
  const perPage = Math.min(Number(query.get("per_page") ?? 20), MAX_PER_PAGE)
  const page = Number(query.get("page") ?? 1)
  const results = all.slice((page - 1) * perPage, page * perPage)
  return Response.json({ data: { results, total: records.length, per_page: perPage, page } })
}

const fail = (status: number, message: string) => Response.json({ message }, { status })
