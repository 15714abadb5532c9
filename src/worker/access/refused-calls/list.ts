import { and, desc, eq, isNull } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { isBelow } from "../../platform/http/list.ts"
import { readCursor, toPage } from "../../platform/http/page.ts"
import {
  afterScan,
  SCAN_LIMIT,
  type SearchedPage,
  selectEndOfScan,
} from "../../platform/http/scan.ts"
import { apiKeys } from "../keys/table.ts"
import type { listRefusedCalls as contract, RefusedCall } from "./contract.ts"
import { refusedCalls } from "./table.ts"

export async function listRefusedCalls(
  ctx: Ctx,
  { limit, cursor, keyId, code }: InputOf<typeof contract>["query"],
): Promise<SearchedPage<RefusedCall>> {
  const walk = (size: number) =>
    ctx.db
      .select()
      .from(refusedCalls)
      .where(
        and(
          eq(refusedCalls.teamId, ctx.team),
          isBelow(refusedCalls.id, readCursor("refusedCall", cursor)),
        ),
      )
      .orderBy(desc(refusedCalls.id))
      .limit(size)
  const isFiltered = keyId !== undefined || code !== undefined
  const scanned = walk(isFiltered ? SCAN_LIMIT : limit + 1).as("scanned")
  const { teamId: _, ...shown } = scanned._.selectedFields
  const page = ctx.db
    .select({ ...shown, keyName: apiKeys.name })
    .from(scanned)
    .leftJoin(
      apiKeys,
      and(
        eq(apiKeys.teamId, scanned.teamId),
        eq(apiKeys.id, scanned.keyId),
        isNull(apiKeys.revokedAt),
      ),
    )
    .where(
      and(
        keyId === undefined ? undefined : eq(scanned.keyId, keyId),
        code === undefined ? undefined : eq(scanned.code, code),
      ),
    )
    .orderBy(desc(scanned.id))
    .limit(limit + 1)
  const [rows, end] = await ctx.batch(
    isFiltered ? [page, selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), page, limit)] : [page],
  )
  const { data, nextCursor } = toPage(rows, limit)
  const calls = data.map(({ keyId: id, keyName: name, ...row }) => ({ ...row, key: { id, name } }))
  // The ids of one minute have no order.
  calls.sort((one, other) => other.at - one.at)
  return afterScan({ data: calls, nextCursor }, end, limit)
}
