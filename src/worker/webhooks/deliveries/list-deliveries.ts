import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { isBelow } from "../../platform/http/list.ts"
import { readCursor, toPage } from "../../platform/http/page.ts"
import {
  afterScan,
  SCAN_LIMIT,
  type SearchedPage,
  selectEndOfScan,
} from "../../platform/http/scan.ts"
import { type DeliveryRow, deliveries, effectiveState, events, webhooks } from "../events/table.ts"
import { selectWebhook, webhookOrNotFound } from "../webhooks.ts"
import type { listDeliveries as contract, Delivery, ListedDelivery } from "./contract.ts"
import { isKept, toDelivery } from "./deliveries.ts"
import { oldestEvent } from "./replay.ts"

type Query = InputOf<typeof contract>["query"]
type State = Delivery["state"]

export async function listDeliveries(
  ctx: Ctx,
  webhookId: string,
  { state, limit, cursor }: Query,
): Promise<SearchedPage<ListedDelivery>> {
  const below = readCursor("delivery", cursor)
  const walk = (state: State, size: number) => scan(ctx, webhookId, state, below, size)
  const found = state && findState(ctx, walk(state, SCAN_LIMIT), state, limit + 1)
  const isOnPage = found ? sql`${deliveries.id} in (${found})` : isBelow(deliveries.id, below)
  const webhook = selectWebhook(ctx, webhookId)
  const page = selectPage(ctx, webhookId, isOnPage).limit(limit + 1)
  const [[row], rows, end] = await ctx.batch(
    found
      ? [webhook, page, selectEndOfScan(ctx.db, walk(state, SCAN_LIMIT + 1), found, limit)]
      : [webhook, page],
  )
  const { droppedAt } = webhookOrNotFound(row)
  const { data, nextCursor } = toPage(rows, limit)
  return afterScan({ data: toListed(data, droppedAt), nextCursor }, end, limit)
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
function scan(
  ctx: Ctx,
  webhookId: string,
  state: State,
  below: string | undefined,
  size: number,
): SQL {
  const isBehind = below === undefined ? sql`` : sql`and ${deliveries.id} < ${below}`
  const newest = (from: SQL, where: SQL) => sql`select * from (
    select ${deliveries.id} as id, ${deliveries.eventId} as "eventId", ${effectiveState} as state
    from webhooks cross join ${from}
    where ${webhooks.teamId} = ${ctx.team} and ${webhooks.id} = ${webhookId}
      and ${deliveries.teamId} = ${webhooks.teamId} and ${deliveries.webhookId} = ${webhooks.id} ${isBehind}
      and ${where}
    order by ${deliveries.id} desc limit +${size})`
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
