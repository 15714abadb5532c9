import { and, desc, eq, type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx, Work } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { isBelow } from "../../platform/http/list.ts"
import { readCursor, toPage } from "../../platform/http/page.ts"
import {
  afterScan,
  hasPart,
  SCAN_LIMIT,
  type SearchedPage,
  selectEndOfScan,
} from "../../platform/http/scan.ts"
import { purgeOlder } from "../purge.ts"
import { toChanges } from "./changes.ts"
import {
  AUDIT_LOG_DAYS,
  type AuditEntry,
  type listAuditLog as contract,
  wordsIn,
} from "./contract.ts"
import { auditLog } from "./table.ts"

type Row = typeof auditLog.$inferSelect
type Query = InputOf<typeof contract>["query"]
type Searched = "label" | "actorName" | "action" | "objectId"

/** Filters have no index, so a page with a filter reads a limited number of entries. */
export async function listAuditLog(ctx: Ctx, query: Query): Promise<SearchedPage<AuditEntry>> {
  const { limit, cursor, actorId, objectId, objectType, q } = query
  const walk = (size: number) =>
    ctx.db
      .select()
      .from(auditLog)
      .where(
        and(eq(auditLog.teamId, ctx.team), isBelow(auditLog.id, readCursor("auditEntry", cursor))),
      )
      .orderBy(desc(auditLog.id))
      .limit(size)
  const isFiltered = [actorId, objectId, objectType, q].some((value) => value !== undefined)
  const scanned = walk(isFiltered ? SCAN_LIMIT : limit + 1).as("scanned")
  const page = ctx.db
    .select()
    .from(scanned)
    .where(
      and(
        actorId === undefined ? undefined : eq(scanned.actorId, actorId),
        objectId === undefined ? undefined : eq(scanned.objectId, objectId),
        objectType === undefined
          ? undefined
          : sql`instr(${scanned.action}, ${`${objectType}.`}) = 1`,
        ...wordsIn(q ?? "").map((word) => hasPart(searchedIn(scanned), word)),
      ),
    )
    .limit(limit + 1)
  const [rows, end] = await ctx.batch(
    isFiltered ? [page, selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), page, limit)] : [page],
  )
  const { data, nextCursor } = toPage(rows, limit)
  return afterScan({ data: data.map(toEntry), nextCursor }, end, limit)
}

const searchedIn = ({ label, actorName, action, objectId }: Record<Searched, SQLWrapper>) =>
  sql`coalesce(${label}, '') || char(10) || coalesce(${actorName}, '') || char(10)
    || ${action} || char(10) || coalesce(${objectId}, '')`

const toEntry = (row: Row): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { type: row.actorType, id: row.actorId, name: row.actorName },
  action: row.action,
  object: { type: typeOf(row), id: row.objectId, label: row.label },
  changes: toChanges(typeOf(row), row.changes),
})

const typeOf = ({ action }: Row) => action.split(".")[0] as string

export const purgeAuditLog = (work: Work) =>
  purgeOlder(work, auditLog, "auditEntry", AUDIT_LOG_DAYS)
