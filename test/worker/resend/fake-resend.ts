/** A server that answers as Resend does, with what the import reads. */
export interface FakeResend {
  /** The records of each list, by its path. */
  lists: Record<string, { id: string }[]>
  /** Single records, by path. */
  records: Record<string, object>
  /** Replies to give before the others. */
  next: Response[]
  asked: { path: string; at: number; authorization: string | null }[]
  answer(request: Request): Response
}

const MAX_LIMIT = 100

export function fakeResend(): FakeResend {
  const fake: FakeResend = {
    lists: {
      "/domains": [],
      "/templates": [],
      "/contacts": [],
      "/segments": [],
      "/suppressions": [],
    },
    records: {},
    next: [],
    asked: [],
    answer(request) {
      const { pathname, searchParams } = new URL(request.url)
      const authorization = request.headers.get("authorization")
      fake.asked.push({ path: pathname, at: Date.now(), authorization })
      const reply = fake.next.shift()
      if (reply) return reply
      if (fake.records[pathname]) return Response.json(fake.records[pathname])
      const list = fake.lists[pathname]
      if (!list) return refusal(404, "not_found", "The requested endpoint does not exist")
      const limit = Number(searchParams.get("limit") ?? 20)
      if (limit > MAX_LIMIT) return refusal(422, "validation_error", "limit is at most 100")
      const after = searchParams.get("after")
      const from = after === null ? 0 : list.findIndex(({ id }) => id === after) + 1
      const data = list.slice(from, from + limit)
      return Response.json({ object: "list", data, has_more: from + limit < list.length })
    },
  }
  return fake
}

export const refusal = (
  statusCode: number,
  name: string,
  message: string,
  headers: Record<string, string> = {},
) => Response.json({ statusCode, name, message }, { status: statusCode, headers })
