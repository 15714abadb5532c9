import { randomBytes } from "node:crypto"
import { normalizeAddress } from "../lib/address.ts"
import { newId } from "../lib/id.ts"
import { newSecret } from "../worker/access/keys/secret.ts"
import {
  memberStatement,
  personStatements,
  removeSecondFactorStatements,
} from "../worker/access/people/person.ts"
import { inline, type Statement } from "../worker/platform/db/statement.ts"
import { updateTeam } from "../worker/teams/contract.ts"
import { endWithUsage, REMOTE, readWords } from "./arguments.ts"
import { configFile, jurisdictionNumbers } from "./installation.ts"
import { directoryStatements, keyStatement, teamStatement } from "./new-team.ts"
import {
  chosenDatabase,
  DATABASE,
  databaseNumbers,
  execute,
  executeWithSize,
  remoteName,
} from "./wrangler.ts"

const USAGE = `npm run team -- NAME ADDRESS [--database NUMBER]   makes a team, its first API key and its owner
npm run team -- --remove-second-factor ADDRESS     for a person who lost app and recovery codes
Add --remote (or --remote=URL, with several installations) for the deployed one. Of several databases, the team
goes into the emptiest one without a jurisdiction unless --database says otherwise.`

const REMOVE = "--remove-second-factor"
const OPTIONS = new RegExp(`${REMOTE.source}|^${REMOVE}$`)
const words = readWords(USAGE, 2, OPTIONS, [DATABASE])
const isRemoval = process.argv.includes(REMOVE)
const [name = "", given = ""] = isRemoval ? [REMOVE, ...words] : words
const email = normalizeAddress(given)

if (isRemoval && email) {
  const [person] = execute<{ id: string }>(
    inline({ sql: "select id from users where email = ?", values: [email] }),
  )
  if (!person) endWithUsage(USAGE, `Nobody has the address ${email}`)
  execute(removeSecondFactorStatements(email).map(inline).join(";\n"))
  console.log(`${email} signs in without a code from now on, and is signed out everywhere.`)
  process.exit()
}
if (!name.trim() || !email) endWithUsage(USAGE)
const refused = updateTeam.json.shape.name.safeParse(name).error?.issues[0]
if (refused) endWithUsage(`${refused.message}: ${name}\n${USAGE}`)
const database = chosenDatabase(USAGE) ?? emptiestDatabase()
const teamId = newId("team")
const apiKey = newSecret(database)
const password = randomBytes(12).toString("base64url")
const owner = { email, name: email, password, teamId, role: "owner" } as const
const [known] = execute<{ id: string }>(
  inline({ sql: "select id from users where email = ?", values: [email] }),
)
const team = [teamStatement(teamId, name.trim()), keyStatement(teamId, apiKey, "First key", "full")]
const person = known ? [memberStatement(owner)] : await personStatements(owner)
if (database === 1) run([...team, ...person])
else {
  // The directory names no team that is not there.
  run(team, database)
  const row = { id: teamId, name: name.trim(), database }
  run([...directoryStatements(row, [apiKey]), ...person])
}
if (databaseNumbers().length > 1) console.log(`Database  ${database}`)
console.log(`Team      ${teamId}
API key   ${apiKey}
Dashboard ${known ? `${email}, with the password of the account that exists` : `${email} / ${password}`}

${known ? "The key is" : "They are"} shown once.`)

function run(statements: readonly Statement[], number = 1) {
  execute(statements.map(inline).join(";\n"), number)
}

/** By size. Local databases have no known size, so their teams count. */
function emptiestDatabase(): number {
  const all = databaseNumbers()
  if (all.length === 1) return 1
  const anywhere = all.filter((number) => !remoteJurisdictions().has(number))
  const sizes = (anywhere.length > 0 ? anywhere : all).map((number) => {
    const counted = "select count(*) as teams from teams"
    const { results, meta } = executeWithSize<{ teams: number }>(counted, number)
    return { number, bytes: meta?.size_after ?? 0, teams: results[0]?.teams ?? 0 }
  })
  sizes.sort((a, b) => a.bytes - b.bytes || a.teams - b.teams)
  return sizes[0]?.number ?? 1
}

/** The databases whose data stays in one jurisdiction. */
function remoteJurisdictions(): Set<number> {
  const installation = remoteName()
  return new Set(installation === null ? [] : jurisdictionNumbers(configFile(installation)))
}
