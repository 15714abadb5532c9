import { env } from "cloudflare:workers"
import { sql } from "drizzle-orm"
import { expect, it } from "vitest"
import { createDb } from "../../../../src/worker/platform/db/client.ts"
import { teams } from "../../../../src/worker/teams/table.ts"
import { makeTeam } from "../../../support/team.ts"

it("no statement has a limit that SQLite compiles again at every run", async () => {
  await makeTeam()
  await makeTeam()
  const texts: string[] = []
  const db = createDb({
    prepare(text: string) {
      texts.push(text)
      return env.DB.prepare(text)
    },
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
  } as D1Database)
  expect(await db.select().from(teams).limit(1)).toHaveLength(1)
  expect(await db.all(sql`select id from teams limit ${1}`)).toHaveLength(1)
  expect(texts.length).toBeGreaterThan(1)
  for (const text of texts) expect(text).toMatch(/ limit \+\?$/)
})
