/** What the platform costs without the service: each path does one thing. */

interface Env {
  DB: D1Database
  EDGEPOST: D1Database
  API_RATE_LIMIT: RateLimit
  TEAM_RATE_LIMIT: RateLimit
}

interface Statement {
  sql: string
  values: unknown[]
}

/**
 * The statements to replay, by the name of their call, with `#id#` where each replay has an id of
 * its own.
 */
const recorded = new Map<string, Statement[]>()
let calls = 0

export default {
  async fetch(request: Request, { DB, EDGEPOST, ...limits }: Env): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    switch (pathname) {
      case "/read":
        return Response.json(
          await DB.prepare("select * from notes where id = ?").bind("one").first(),
        )
      case "/limits":
        await limits.API_RATE_LIMIT.limit({ key: "one" })
        await limits.TEAM_RATE_LIMIT.limit({ key: "one" })
        return Response.json({})
      case "/insert": {
        const id = crypto.randomUUID()
        const body = await request.json()
        await DB.prepare("insert into notes (id, body) values (?, ?)")
          .bind(id, JSON.stringify(body))
          .run()
        return Response.json({ id }, { status: 201 })
      }
      case "/statements":
        recorded.set(search, await request.json())
        return new Response()
      case "/replay": {
        await request.json()
        const id = String(++calls).padStart(10, "0")
        const results = await EDGEPOST.batch(
          recorded
            .get(search)!
            .map(({ sql, values }) =>
              EDGEPOST.prepare(sql).bind(
                ...values.map((value) =>
                  typeof value === "string" ? value.replaceAll("#id#", id) : value,
                ),
              ),
            ),
        )
        return Response.json({ id: results.length }, { status: 201 })
      }
      default:
        return new Response("hello")
    }
  },
}
