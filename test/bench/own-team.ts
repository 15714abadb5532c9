import { sql } from "drizzle-orm"
import { newId } from "../../src/lib/id.ts"
import { directoryStatements, keyStatement, teamStatement } from "../../src/operations/new-team.ts"
import { newSecret } from "../../src/worker/access/keys/secret.ts"
import { domainClaims, domains } from "../../src/worker/domains/table.ts"
import { insertInto } from "../../src/worker/platform/db/columns.ts"
import { bind, type Statement, statementOf } from "../../src/worker/platform/db/statement.ts"

const NAME = "demo.test"
const ALWAYS = sql`where true`

/** A team with a full key and the verified domain `demo.test` in one of the databases. */
export async function createOwnTeam(
  databases: ReadonlyMap<number, D1Database>,
  number: number,
): Promise<{ teamId: string; apiKey: string }> {
  const [teamId, domainId, apiKey] = [newId("team"), newId("domain"), newSecret(number)]
  const domain = {
    teamId,
    id: domainId,
    name: NAME,
    status: "verified",
    provider: "sandbox",
  } as const
  const now = Date.now()
  await run(databases.get(number) as D1Database, [
    teamStatement(teamId, NAME),
    statementOf(insertInto(domains, { ...domain, createdAt: now, verifiedAt: now }, ALWAYS)),
    keyStatement(teamId, apiKey, "Bench", "full"),
  ])
  if (number > 1) {
    const claim = { name: NAME, teamId, domainId, database: number, status: "verified" } as const
    await run(databases.get(1) as D1Database, [
      ...directoryStatements({ id: teamId, name: NAME, database: number }, [apiKey]),
      statementOf(insertInto(domainClaims, claim, ALWAYS)),
    ])
  }
  return { teamId, apiKey }
}

const run = (db: D1Database, statements: readonly Statement[]) =>
  db.batch(statements.map((statement) => bind(db, statement)))
