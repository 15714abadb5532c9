import { env } from "cloudflare:workers"
import { sql } from "drizzle-orm"
import { describe, expect, it } from "vitest"
import { createDb, namedBatch } from "../../../../src/worker/platform/db/client.ts"
import { jsonFields, jsonRows } from "../../../../src/worker/platform/db/json-rows.ts"

const db = createDb(env.DB)
const select = (value: number) => db.all<{ value: number }>(sql`select ${value} as value`)

describe("a named batch", () => {
  it("answers each query under its name, and a list of queries with a list of results", async () => {
    const results = await namedBatch(db, { one: select(1), two: [select(2), select(3)] as const })
    expect(results).toEqual({ one: [{ value: 1 }], two: [[{ value: 2 }], [{ value: 3 }]] })
  })
})

describe("rows of JSON", () => {
  interface Row {
    name: string
    count: number
    data: { tags: string[] }
  }
  const rows: Row[] = [
    { name: "O'Brien", count: 2, data: { tags: ["a"] } },
    { name: "Ada", count: 1, data: { tags: [] } },
  ]

  it("are read by the names of their members", async () => {
    const x = jsonFields<Row>()
    const found = await db.all(sql`select ${x.name} as name, ${x.count} + 1 as more,
      ${jsonFields<Row>("x", "->").data} as data from ${jsonRows(rows)} order by ${x.count}`)
    expect(found).toEqual([
      { name: "Ada", more: 2, data: '{"tags":[]}' },
      { name: "O'Brien", more: 3, data: '{"tags":["a"]}' },
    ])
  })

  it("have no member but their own", () => {
    // @ts-expect-error
    expect(jsonFields<Row>().lastError).toBeDefined()
  })
})
