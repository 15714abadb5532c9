export interface FakePlunk {
  /** Newest first. */
  contacts: { email: string; subscribed: boolean; data: Record<string, unknown> | null }[]
  templates: { id: string; name: string; subject: string; body: string; from: string }[]
  answer(request: Request): Response
}

const MAX_LIMIT = 100

/** Plunk's API, with what the import reads. */
export function makeFakePlunk(key: string): FakePlunk {
  const fake: FakePlunk = {
    contacts: [],
    templates: [],
    answer(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (request.headers.get("authorization") !== `Bearer ${key}`) {
        return Response.json({ error: { message: "Invalid API key" } }, { status: 401 })
      }
      if (pathname === "/contacts") return contacts(searchParams)
      if (pathname === "/templates") return templates(searchParams)
      return Response.json({ message: "Not found" }, { status: 404 })
    },
  }

  function contacts(query: URLSearchParams): Response {
    const all = fake.contacts.map((one, index) => ({ id: `contact-${index}`, ...one }))
    const limit = Math.min(Number(query.get("limit") ?? 20), MAX_LIMIT)
    const cursor = query.get("cursor")
    const from = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1
    const data = all.slice(from, from + limit)
    const hasMore = from + limit < all.length
    const total = cursor === null ? all.length : 0
    return Response.json({ data, total, hasMore, ...(hasMore && { cursor: data.at(-1)?.id }) })
  }

  function templates(query: URLSearchParams): Response {
    const pageSize = Math.min(Number(query.get("pageSize") ?? 20), MAX_LIMIT)
    const page = Number(query.get("page") ?? 1)
    const total = fake.templates.length
    const data = fake.templates.slice((page - 1) * pageSize, page * pageSize)
    return Response.json({ data, total, page, pageSize, totalPages: Math.ceil(total / pageSize) })
  }
  return fake
}
