/** What the platform costs without the service: each path does one thing. */

interface Env {
  DB: D1Database
  EDGEPOST: D1Database
  STEPS: Queue<Step>
  API_RATE_LIMIT: RateLimit
  TEAM_RATE_LIMIT: RateLimit
}

/** A message of a queue, of a sending service that does the least. */
interface Step {
  name: "send" | "outcome"
  ids: string[]
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

/** After a replay, messages in queues send what was accepted. */
const SENT = "&sent"

const mark = (status: string) =>
  `update sent set status = '${status}' where id in (select value from json_each(?))`

export default {
  async fetch(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
    const { DB, EDGEPOST, STEPS, ...limits } = env
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
        const name = search.replace(SENT, "")
        const results = await EDGEPOST.batch(
          recorded
            .get(name)!
            .map(({ sql, values }) =>
              EDGEPOST.prepare(sql).bind(
                ...values.map((value) =>
                  typeof value === "string" ? value.replaceAll("#id#", id) : value,
                ),
              ),
            ),
        )
        if (search !== name) execution.waitUntil(STEPS.send({ name: "send", ids: [id] }))
        return Response.json({ id: results.length }, { status: 201 })
      }
      default:
        return new Response("hello")
    }
  },

  /** One statement where the service claims, one where it records, and one for the outcomes. */
  async queue({ messages }: MessageBatch<Step>, { DB, STEPS }: Env): Promise<void> {
    const idsOf = (step: Step["name"]) =>
      messages.flatMap(({ body }) => (body.name === step ? body.ids : []))
    const run = (sql: string, ids: string[]) =>
      DB.batch([DB.prepare(sql).bind(JSON.stringify(ids))])
    const [sends, outcomes] = [idsOf("send"), idsOf("outcome")]
    if (sends.length > 0) {
      await run("insert into sent (id) select value from json_each(?)", sends)
      await run(mark("sent"), sends)
      await STEPS.send({ name: "outcome", ids: sends })
    }
    if (outcomes.length > 0) await run(mark("delivered"), outcomes)
  },
}
