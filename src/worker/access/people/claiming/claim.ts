import { timingSafeEqual } from "node:crypto"
import { eq, lte, sql } from "drizzle-orm"
import type * as z from "zod"
import { sha256Hex } from "../../../../lib/crypto.ts"
import { newId } from "../../../../lib/id.ts"
import type { Work } from "../../../platform/context.ts"
import { namedBatch } from "../../../platform/db/client.ts"
import { assignments, excluded, insertInto } from "../../../platform/db/columns.ts"
import { ApiError, conflict } from "../../../platform/http/errors.ts"
import { installation } from "../../../platform/installation/table.ts"
import { IF_CHANGED, insertEntry, userActor } from "../../../teams/audit/entry.ts"
import {
  chooseDatabase,
  insertTeam,
  type NewTeam,
  storeElsewhere,
} from "../../../teams/choose-database.ts"
import { refuseGuessable } from "../new-password.ts"
import { hashPassword } from "../password.ts"
import { storePassword } from "../person.ts"
import { countCall } from "../sign-in/attempts.ts"
import { signIn } from "../sign-in/sign-in.ts"
import type { Visitor } from "../sign-in/visit.ts"
import type { claimInstallation as contract } from "../sign-in/visitors-contract.ts"
import { claimCodes, members, users } from "../table.ts"
import { NOBODY } from "./claim-code.ts"
import { ownClaimCodes } from "./own-claim-code.ts"

/** Nobody can guess the code's 144 random bits. The limits only save work. */
const CLAIMS_OF_AN_IP = 10
const CLAIMS = 100

export const isClaimed = async (work: Work): Promise<boolean> =>
  (await work.db.select({ id: users.id }).from(users).limit(1)).length > 0

/** Creates the first person and team. A batch is one transaction, so one of two calls succeeds. */
export async function claimInstallation(
  { work, headers, ip }: Visitor,
  input: z.output<typeof contract.json>,
) {
  await countCall(work, ip, CLAIMS_OF_AN_IP, { claims: CLAIMS })
  const [[stored], claimed] = await work.db.batch([
    work.db.select().from(claimCodes),
    work.db.select({ id: users.id }).from(users).limit(1),
  ])
  if (claimed.length > 0) throw conflict("Somebody has claimed this installation already.")
  const isPrinted = stored !== undefined && stored.expiresAt > work.now()
  const hashes = [
    ...(isPrinted ? [stored.codeHash] : []),
    ...ownClaimCodes(work.settings, work.now()).map((code) => sha256Hex(code)),
  ]
  if (!hashes.some((hash) => isSame(hash, sha256Hex(input.code)))) {
    throw new ApiError("forbidden", "This code is wrong, used or older than 24 hours.")
  }
  const { teamName, jurisdiction, name, email, password } = input
  refuseGuessable(password, email)
  const team = { id: newId("team", work.now()), name: teamName, createdAt: work.now() }
  const user = { id: newId("user", work.now()), email, name }
  const hash = await hashPassword(password)
  const database = await chooseDatabase(work, jurisdiction)
  await storeElsewhere(work, team, database)
  const first = firstStatements(work, { team, database, user, hash })
  const { created } = await namedBatch(work.db, first)
  if (created.meta.changes !== 1) {
    throw conflict("Somebody has claimed this installation already.")
  }
  const { cookies } = await signIn(work, { email, password }, headers)
  return { body: { user, team: { id: team.id, name: teamName } }, headers: cookies }
}

interface First {
  team: NewTeam
  database: number
  user: { id: string; email: string; name: string }
  hash: string
}

/** Each statement needs the user of the first one, so all of them take effect or none. */
function firstStatements({ db, now, settings }: Work, { team, database, user, hash }: First) {
  const isUser = eq(users.id, user.id)
  const ifCreated = sql`from ${users} where ${isUser}`
  const entry = {
    teamId: team.id,
    actor: userActor(user),
    action: "claim",
    objectId: team.id,
    label: team.name,
  }
  return {
    created: db.run(
      insertInto(users, { ...user, emailVerified: 1, createdAt: now(), updatedAt: now() }, NOBODY),
    ),
    noted: db.run(insertEntry(entry, now(), IF_CHANGED)),
    team: db.run(insertTeam(team, database, ifCreated)),
    password: db.run(storePassword(hash, now(), isUser)),
    member: db.run(
      insertInto(
        members,
        { userId: users.id, teamId: team.id, role: "owner", createdAt: now() },
        ifCreated,
      ),
    ),
    // Later calls, queues and the cron have no other URL, unless somebody sets it.
    baseUrl: db.run(sql`
      ${insertInto(installation, { name: "BASE_URL", value: settings.BASE_URL }, ifCreated)}
      on conflict do update set ${assignments(installation, { value: excluded(installation.value) })}`),
    used: db.delete(claimCodes).where(sql`exists (select 1 ${ifCreated})`),
  }
}

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

export const forgetOldClaim = (work: Work) =>
  work.db.delete(claimCodes).where(lte(claimCodes.expiresAt, work.now()))
