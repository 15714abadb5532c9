import { randomBytes } from "node:crypto"
import { normalizeAddress } from "../lib/address.ts"
import { newId } from "../lib/id.ts"
import { newSecret } from "../worker/access/keys/secret.ts"
import {
  memberStatement,
  personStatements,
  removeSecondFactorStatements,
} from "../worker/access/people/person.ts"
import { inline } from "../worker/platform/db/statement.ts"
import { updateTeam } from "../worker/teams/contract.ts"
import { keyStatement, teamStatement } from "./new-team.ts"
import { endWithUsage, REMOTE, readWords } from "./words.ts"
import { execute } from "./wrangler.ts"

const USAGE = `npm run team -- NAME ADDRESS                     makes a team, its first API key and its owner
npm run team -- --remove-second-factor ADDRESS   for a person who lost app and recovery codes
Add --remote (or --remote=URL, with several installations) for the deployed one.`

const REMOVE = "--remove-second-factor"
const OPTIONS = new RegExp(`${REMOTE.source}|^${REMOVE}$`)
const words = readWords(USAGE, 2, OPTIONS)
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
const teamId = newId("team")
const apiKey = newSecret()
const password = randomBytes(12).toString("base64url")
const owner = { email, name: email, password, teamId, role: "owner" } as const
const [known] = execute<{ id: string }>(
  inline({ sql: "select id from users where email = ?", values: [email] }),
)
const statements = [
  teamStatement(teamId, name.trim()),
  keyStatement(teamId, apiKey, "First key", "full"),
  ...(known ? [memberStatement(owner)] : await personStatements(owner)),
]
execute(statements.map(inline).join(";\n"))
console.log(`Team      ${teamId}
API key   ${apiKey}
Dashboard ${known ? `${email}, with the password of the account that exists` : `${email} / ${password}`}

${known ? "The key is" : "They are"} shown once.`)
