import { env } from "cloudflare:workers"
import { eq, sql } from "drizzle-orm"
import { expect, it } from "vitest"
import type { ScopeText, Work } from "../../../../src/worker/platform/context.ts"
import { createDb } from "../../../../src/worker/platform/db/client.ts"
import { type Placeholders, prepared } from "../../../../src/worker/platform/db/prepared.ts"
import { teams } from "../../../../src/worker/teams/table.ts"

const db = createDb(env.DB)
const work = { db } as Work
const select = (value: string) => db.all<{ value: string }>(sql`select ${value} as value`)

it("a query that drizzle prepared cannot join a batch, so its own preparation does not help", async () => {
  const query = db
    .select()
    .from(teams)
    .where(eq(teams.id, sql.placeholder("id")))
    .prepare()
  await expect((async () => db.batch([query as never]))()).rejects.toThrow("_prepare")
})

it("a prepared statement is written once, and binds the values of each call", async () => {
  let written = 0
  const selectTexts = prepared((on, { text }: Placeholders<"text">) => {
    written++
    return {
      one: on.all<{ value: string }>(sql`select ${text} as value`),
      list: [on.all<{ value: string }>(sql`select ${text} || '!' as value`)],
    }
  })
  for (const text of ["a", "b"]) {
    const { one, list } = selectTexts(work, { text })
    expect(await db.batch([one, ...list, select("c")])).toEqual([
      [{ value: text }],
      [{ value: `${text}!` }],
      [{ value: "c" }],
    ])
  }
  expect(written).toBe(1)
})

it("a prepared statement that names the caller's team asks for a call", () => {
  const selectTeam = prepared((on, _: Placeholders<never>, { team }: ScopeText) =>
    on.all(sql`select ${team} as id`),
  )
  // @ts-expect-error
  expect(() => selectTeam(work, {})).toThrow()
})
