import { setTimeout as sleep } from "node:timers/promises"
import { endWithUsage, readValue, readWords } from "./arguments.ts"
import { LOCATION_OPTIONS, LOCATION_USAGE, readLocation, readNumber } from "./database-location.ts"
import { readAccess } from "./install/account.ts"
import { type Cloudflare, createCloudflare } from "./install/cloudflare.ts"
import { endWith } from "./install/end.ts"
import { install } from "./install/install.ts"
import { deployedDatabases, listDatabases } from "./install/list-databases.ts"
import { uploadByWrangler } from "./install/worker.ts"
import { describeInstallations, findInstallations } from "./installation.ts"
import { cancelMove, type Databases, listMoves, moveTeam } from "./move-team.ts"
import { databaseNumbers, execute } from "./wrangler.ts"

const USAGE = `npm run databases -- [NAME|URL]             lists the databases of a deployed installation, and the teams that move
npm run databases -- add COUNT [NAME|URL] ${LOCATION_USAGE} [--dry-run]
                                            creates more, and deploys the Worker with them
npm run databases -- move TEAM --to NUMBER [NAME|URL|--local] [--any-jurisdiction]
                                            moves a team to another database; meanwhile it cannot write
npm run databases -- move TEAM --cancel [NAME|URL|--local]
                                            takes that back, as long as the team is not there
New teams go into the emptiest database of their jurisdiction. --local is for \`npm run dev\`. After a failure,
run the same command again.`

const TO = "--to"
const OPTIONS = /^--(dry-run|cancel|local|any-jurisdiction)$/
const words = readWords(USAGE, 3, OPTIONS, [...LOCATION_OPTIONS, TO])
const [command] = words
const isAddition = command === "add"
const isMove = command === "move"
const has = (option: string) => process.argv.includes(option)
const more = isAddition ? readNumber(USAGE, "COUNT", words[1] ?? "") : 0
const teamId = isMove ? (words[1] ?? "") : ""
const [wanted, ...others] = words.slice(isAddition || isMove ? 2 : 0)
const place = readLocation(USAGE)
checkOptions()

if (isMove && has("--local")) await endWith(() => move(localDatabases()))
else await endWith(() => inAccount(findOne()))

function checkOptions(): void {
  if (others.length > 0) endWithUsage(USAGE, `Unexpected argument '${others[0]}'`)
  const ofAddition = has("--dry-run") || Object.keys(place).length > 0
  if (ofAddition && !isAddition) endWithUsage(USAGE)
  const to = readValue(TO)
  const ofMove = has("--cancel") || has("--local") || has("--any-jurisdiction") || to !== undefined
  if (ofMove && !isMove) endWithUsage(USAGE)
  if (!isMove) return
  if (!/^team_[0-9A-Z]{26}$/.test(teamId))
    endWithUsage(USAGE, `'${teamId}' is not the id of a team`)
  if (has("--cancel") === (to !== undefined)) endWithUsage(USAGE, "Give either --to or --cancel")
  if (has("--local") && wanted !== undefined) endWithUsage(USAGE, "--local takes no name")
  if (to !== undefined) readNumber(USAGE, TO, to)
}

function findOne(): string {
  const known = findInstallations(wanted)
  const [name] = known
  if (name && known.length === 1) return name
  const names = describeInstallations(findInstallations())
  return endWithUsage(
    USAGE,
    names ? `Give a name, one of: ${names}` : "This machine knows no installation",
  )
}

async function inAccount(name: string): Promise<void> {
  console.log("Reading the login …")
  const access = readAccess()
  const cloudflare = createCloudflare(access)
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID
  const installation = { name, ...(accountId && { accountId }) }
  if (isMove) return move(await deployedDatabases(installation, cloudflare))
  if (!isAddition) return list(installation, cloudflare)
  await install(
    { ...installation, dryRun: has("--dry-run"), databases: { more, ...place } },
    { cloudflare, upload: uploadByWrangler(access), report: (line) => console.log(line), sleep },
  )
}

async function list(installation: { name: string }, cloudflare: Cloudflare): Promise<void> {
  console.table(await listDatabases(installation, cloudflare))
  const moves = await listMoves(await deployedDatabases(installation, cloudflare))
  if (moves.length > 0) console.table(moves)
}

function localDatabases(): Databases {
  return {
    known: databaseNumbers().map((number) => ({ number })),
    query: async (number, sql) => execute(sql, number),
  }
}

function move(databases: Databases): Promise<void> {
  const options = { report: (line: string) => console.log(line), sleep, now: Date.now }
  if (has("--cancel")) return cancelMove(databases, teamId, options)
  const to = readNumber(USAGE, TO, readValue(TO) ?? "")
  return moveTeam(databases, { teamId, to, mayLeave: has("--any-jurisdiction") }, options)
}
