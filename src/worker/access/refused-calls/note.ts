import { sql } from "drizzle-orm"
import { derivedId, firstIdAt } from "../../../lib/id.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import type { ApiError, ErrorCode } from "../../platform/http/errors.ts"
import { refusedCalls as r } from "./table.ts"

/** Of a team, as rows and as statements of one process. */
export const MAX_A_MINUTE = 300
const MAX_MESSAGE_CHARACTERS = 500
const MAX_CALL_CHARACTERS = 200
const MAX_TEAMS = 10_000

const NOT_NOTED: readonly ErrorCode[] = ["unauthorized", "internal_error", "unavailable"]

interface RefusedCall {
  teamId: string
  keyId: string
  call: string
}

const written = new Map<string, { minute: number; statements: number }>()

function isBelowLimit(teamId: string, minute: number): boolean {
  const last = written.get(teamId)
  if (last?.minute === minute) return ++last.statements <= MAX_A_MINUTE
  if (written.size >= MAX_TEAMS) written.clear()
  written.set(teamId, { minute, statements: 1 })
  return true
}

/** Runs after the reply. Repeats within a minute have the same id. */
export function noteRefusedCall(
  work: Work,
  { teamId, keyId, call }: RefusedCall,
  { code, message }: ApiError,
): void {
  if (NOT_NOTED.includes(code)) return
  const at = work.now()
  const minute = at - (at % MINUTE_MS)
  if (!isBelowLimit(teamId, minute)) return
  const shown = {
    keyId,
    call: call.slice(0, MAX_CALL_CHARACTERS),
    code,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
  }
  const id = derivedId("refusedCall", minute, JSON.stringify(shown))
  const isRepeat = sql`
    exists (select 1 from ${r} where ${r.teamId} = ${teamId} and ${r.id} = ${id})`
  const ofMinute = sql`
    select count(*) from ${r}
    where ${r.teamId} = ${teamId} and ${r.id} >= ${firstIdAt("refusedCall", minute)}`
  const repeats = assignments(r, {
    count: sql`${r.count} + 1`,
    at: sql`max(${r.at}, ${excluded(r.at)})`,
  })
  const condition = sql`
    where ${isRepeat} or (${ofMinute}) < ${MAX_A_MINUTE}
    on conflict do update set ${repeats}`
  work.defer(work.db.run(insertInto(r, { teamId, id, ...shown, count: 1, at }, condition)))
}
