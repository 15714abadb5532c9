import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import { timeOf } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { isBelow } from "../../platform/http/list.ts"
import { readCursor, toPage, writeCursor } from "../../platform/http/page.ts"
import type { SearchedPage } from "../../platform/http/scan.ts"
import { type DeliveryRow, deliveries, effectiveState, events, webhooks } from "../events/table.ts"
import { selectWebhook, webhookOrNotFound } from "../webhooks.ts"
import type { listDeliveries as contract, Delivery, ListedDelivery } from "./contract.ts"
import { isKept, toDelivery } from "./deliveries.ts"
import { oldestEvent } from "./replay.ts"

type Query = InputOf<typeof contract>["query"]
type State = Delivery["state"]

/** How many deliveries a page reads at most to find those of a state. */
const SCAN_LIMIT = 1_000

export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  { state, limit, cursor }: Query,
): Promise<SearchedPage<ListedDelivery>> {
  const below = readCursor("delivery", cursor)
  const scanned = state && scan(ctx, webhookId, state, below)
  const found = state && scanned && findState(ctx, scanned, state, limit + 1)
  const isOnPage = found ? sql`${deliveries.id} in (${found})` : isBelow(deliveries.id, below)
  const webhook = selectWebhook(ctx, webhookId)
  const page = selectPage(ctx, webhookId, isOnPage).limit(limit + 1)
  const [[row], rows, [end] = []] = await ctx.batch(
    found ? [webhook, page, endOfScan(ctx, scanned, found, limit)] : [webhook, page],
  )
  const { droppedAt } = webhookOrNotFound(row)
  const { data, nextCursor } = toPage(rows, limit)
  return {
    data: toListed(data, droppedAt),
    nextCursor: nextCursor ?? (end ? writeCursor(end.id) : null),
    ...(end && data.length < limit && { searchedUntil: timeOf(end.id) }),
  }
}

export async function readDeliveries(ctx: Ctx, webhookId: string, ids: readonly string[]) {
  const [[row], rows] = await ctx.batch([
    selectWebhook(ctx, webhookId),
    selectPage(ctx, webhookId, isOneOf(deliveries.id, ids)),
  ])
  return { data: toListed(rows, webhookOrNotFound(row).droppedAt) }
}

type Row = DeliveryRow & Pick<ListedDelivery, "about">

const toListed = (rows: readonly Row[], droppedAt: number): ListedDelivery[] =>
  rows.map(({ about, ...row }) => ({ ...toDelivery(row, droppedAt), about }))

const about = sql<string | null>`coalesce(
  json_extract(${events.data}, '$.email.recipients[0].address'),
  json_extract(${events.data}, '$.contact.email'),
  json_extract(${events.data}, '$.domain.name'),
  json_extract(${events.data}, '$.campaign.name'),
  json_extract(${events.data}, '$.received.from.email'),
  json_extract(${events.data}, '$.sequence.name'))`.as("about")

const selectPage = (ctx: Ctx, webhookId: string, isOnPage: SQL | undefined) =>
  ctx.db
    .select({ ...getTableColumns(deliveries), about })
    .from(deliveries)
    .leftJoin(
      events,
      and(eq(events.teamId, deliveries.teamId), eq(events.sequence, deliveries.sequence)),
    )
    .where(
      and(
        eq(deliveries.teamId, ctx.team),
        eq(deliveries.webhookId, webhookId),
        isOnPage,
        isKept(ctx),
      ),
    )
    .orderBy(desc(deliveries.id))

/** The states that a filter finds. */
const FOUND: Record<State, readonly State[]> = {
  pending: ["pending"],
  succeeded: ["succeeded"],
  exhausted: ["exhausted"],
  failed: ["failed", "exhausted"],
}

/**
 * The newest deliveries among which those of a state are. An index has the failed ones. Without
 * statistics, SQLite may prefer the primary key: all deliveries of a webhook. A webhook that was
 * disabled may have failed ones that the index does not have yet.
 */
function scan(ctx: Ctx, webhookId: string, state: State, below: string | undefined): SQL {
  const isBehind = below === undefined ? sql`` : sql`and ${deliveries.id} < ${below}`
  const newest = (from: SQL, where: SQL) => sql`select * from (
    select ${deliveries.id} as id, ${deliveries.eventId} as "eventId", ${effectiveState} as state
    from webhooks cross join ${from}
    where ${webhooks.teamId} = ${ctx.team} and ${webhooks.id} = ${webhookId}
      and ${deliveries.teamId} = ${webhooks.teamId} and ${deliveries.webhookId} = ${webhooks.id} ${isBehind}
      and ${where}
    order by ${deliveries.id} desc limit +${SCAN_LIMIT})`
  const failed = (where: SQL) =>
    newest(
      sql`deliveries indexed by deliveries_failed`,
      sql`${deliveries.state} in ('failed', 'exhausted') and ${where}`,
    )
  if (state === "exhausted") return failed(sql`true`)
  if (state !== "failed") return newest(sql`deliveries`, sql`true`)
  return sql`${failed(sql`${webhooks.droppedAt} <= 0`)}
    union all ${newest(sql`deliveries`, sql`${webhooks.droppedAt} > 0`)}`
}

const findState = (ctx: Ctx, scanned: SQL, state: State, limit: number): SQL => sql`
  select id from (${scanned})
  where ${isOneOf(sql`state`, FOUND[state])} and "eventId" >= ${oldestEvent(ctx)} limit +${limit}`

/** If few deliveries match, the next page starts below the last one that was read. */
const endOfScan = ({ db }: Ctx, scanned: SQL, found: SQL, limit: number) =>
  db.all<{ id: string }>(sql`
    select id from (${scanned})
    limit iif((select count(*) from (${found})) <= ${limit}, 1, 0) offset ${SCAN_LIMIT - 1}`)
