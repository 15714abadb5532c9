import { timingSafeEqual } from "node:crypto"
import { sql } from "drizzle-orm"
import type * as z from "zod"
import { openNote } from "../audit/entry.ts"
import { bind, type Statement } from "../db/statement.ts"
import type { Work } from "../env.ts"
import { ApiError, conflict } from "../http/errors.ts"
import { randomBase64url, sha256Hex } from "../lib/crypto.ts"
import { newId } from "../lib/id.ts"
import { DAY_MS } from "../lib/time.ts"
import { countCall } from "./attempts.ts"
import { hashPassword } from "./password.ts"
import { signIn } from "./sign-in.ts"
import { claimCodes, users } from "./table.ts"
import type { Visitor } from "./visit.ts"
import type { claimInstallation as contract } from "./visitors-contract.ts"

const CODE_ID = "claim"
const VALID_MS = DAY_MS
/** A code has 144 random bits; the limits are for whoever tries all the same. */
const CLAIMS_OF_AN_IP = 10
const CLAIMS = 100

/** The code is shown once. Its statement replaces an earlier code, while no person exists. */
export function newClaimCode(now: number): { code: string; statement: Statement } {
  const code = randomBase64url(18)
  return {
    code,
    statement: {
      sql: `insert into claim_codes (id, code_hash, expires_at)
        select ?, ?, ? where not exists (select 1 from users)
        on conflict do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`,
      values: [CODE_ID, sha256Hex(code), now + VALID_MS],
    },
  }
}

export const isClaimed = async (work: Work): Promise<boolean> =>
  (await work.db.select({ id: users.id }).from(users).limit(1)).length > 0

/** Creates the first person and team. A batch is one transaction, so one of two calls succeeds. */
export async function claimInstallation(
  { work, headers, ip }: Visitor,
  input: z.output<typeof contract.json>,
) {
  await countCall(work, ip, { ofIp: CLAIMS_OF_AN_IP, claims: CLAIMS })
  const [[stored], claimed] = await work.db.batch([
    work.db.select().from(claimCodes),
    work.db.select({ id: users.id }).from(users).limit(1),
  ])
  if (claimed.length > 0) throw conflict("Somebody has claimed this installation already.")
  const isRight = stored && isSame(stored.codeHash, sha256Hex(input.code))
  if (!isRight || stored.expiresAt <= work.now()) {
    throw new ApiError("forbidden", "This code is wrong, used or older than 24 hours.")
  }
  const { teamName, name, email, password } = input
  const team = { id: newId("team", work.now()), name: teamName }
  const user = { id: newId("user", work.now()), email, name }
  const statements = await firstStatements(work, {
    team,
    user,
    password,
    codeHash: stored.codeHash,
  })
  const note = openNote(work.env.DB, work.now())
  const [created, ...others] = statements.map((statement) => bind(work.env.DB, statement))
  const results = await work.env.DB.batch([
    created as D1PreparedStatement,
    note({
      teamId: team.id,
      actor: { type: "user", id: user.id, name },
      action: "claim",
      objectId: team.id,
      label: teamName,
    }),
    ...others,
  ])
  if (results[0]?.meta.changes !== 1) {
    throw conflict("Somebody has claimed this installation already.")
  }
  const { cookies } = await signIn(work, { email, password }, headers)
  return { body: { user, team }, headers: cookies }
}

interface First {
  team: { id: string; name: string }
  user: { id: string; email: string; name: string }
  password: string
  codeHash: string
}

/** Each statement depends on the one before, so all of them take effect or none. */
async function firstStatements(
  work: Work,
  { team, user, password, codeHash }: First,
): Promise<Statement[]> {
  const now = work.now()
  const ifCreated = "from users where id = ?"
  return [
    {
      sql: `insert into users (id, name, email, email_verified, created_at, updated_at)
        select ?, ?, ?, 1, ?, ? from claim_codes
        where code_hash = ? and not exists (select 1 from users)`,
      values: [user.id, user.name, user.email, now, now, codeHash],
    },
    {
      sql: `insert into teams (id, name, created_at) select ?, ?, ? ${ifCreated}`,
      values: [team.id, team.name, now, user.id],
    },
    {
      sql: `insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
        select id, 'credential', id, id, ?, ?, ? ${ifCreated}`,
      values: [await hashPassword(password), now, now, user.id],
    },
    {
      sql: `insert into members (user_id, team_id, role, created_at)
        select id, ?, 'owner', ? ${ifCreated}`,
      values: [team.id, now, user.id],
    },
    { sql: "delete from claim_codes where code_hash = ?", values: [codeHash] },
  ]
}

const isSame = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

export const forgetOldClaim = (work: Work) =>
  work.db.run(sql`delete from claim_codes where expires_at <= ${work.now()}`)
