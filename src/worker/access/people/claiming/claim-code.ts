import { sql } from "drizzle-orm"
import { randomBase64url, sha256Hex } from "../../../../lib/crypto.ts"
import { DAY_MS } from "../../../../lib/time.ts"
import { assignments, excluded, insertInto } from "../../../platform/db/columns.ts"
import { type Statement, statementOf } from "../../../platform/db/statement.ts"
import { claimCodes, users } from "../table.ts"

const CODE_ID = "claim"
const VALID_MS = DAY_MS

export const NOBODY = sql`where not exists (select 1 from ${users})`

/** The code is shown once. The statement replaces an earlier code, if no person exists yet. */
export function newClaimCode(now: number): { code: string; statement: Statement } {
  const code = randomBase64url(18)
  return {
    code,
    statement: statementOf(sql`
      ${insertInto(
        claimCodes,
        { id: CODE_ID, codeHash: sha256Hex(code), expiresAt: now + VALID_MS },
        NOBODY,
      )}
      on conflict do update set ${assignments(claimCodes, {
        codeHash: excluded(claimCodes.codeHash),
        expiresAt: excluded(claimCodes.expiresAt),
      })}`),
  }
}
