import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm"
import { normalizePart } from "../../lib/address.ts"
import type { Ctx, TeamId } from "../platform/context.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { isInRange, pageOrder } from "../platform/http/list.ts"
import type { PageQuery } from "../platform/http/page.ts"
import { inShare, lightRows, toLightPage } from "../platform/http/pages/light-page.ts"
import { afterScan, hasPart, SCAN_LIMIT, selectEndOfScan } from "../platform/http/scan.ts"
import type { listReceivedEmails as contract } from "./contract.ts"
import { isLiveInbox } from "./inboxes/local-inboxes.ts"
import { type ReceivedRow, receivedEmails } from "./table.ts"
import { toReceived } from "./view.ts"

const LOOK_EVERY_MS = 250

type Query = InputOf<typeof contract>["query"] & PageQuery

/** With `wait` the reply is held back until there is mail to show that was worked off. */
export async function listReceivedEmails(ctx: Ctx, query: Query) {
  const until = ctx.now() + query.wait * 1000
  let [rows, end] = await select(ctx, query)
  while (rows.length === 0 && ctx.now() < until) {
    await scheduler.wait(LOOK_EVERY_MS)
    ;[rows, end] = await select(ctx, query)
  }
  const light = await lightRows(rows, query.limit, isWhole, async ({ id }) => {
    const [found] = await ctx.batch([selectReceived(ctx, id)])
    return found
  })
  const page = toLightPage(rows, query, light)
  return afterScan({ ...page, data: page.data.map(toReceived) }, end, query.limit)
}

const { body: _, ...columns } = getTableColumns(receivedEmails)
type Row = Omit<ReceivedRow, "body">

const isWhole = (row: Omit<Row, "details"> & { details: Row["details"] | null }): row is Row =>
  row.details !== null

const isInTeam = (ctx: Ctx) => eq(receivedEmails.teamId, ctx.team)

/** With a filter, a page looks at the newest records and keeps those that match. */
function select(ctx: Ctx, query: Query) {
  const fields = { ...columns, ...inShare({ details: receivedEmails.details }, query.limit) }
  const isAsked = and(isInTeam(ctx), isInRange(receivedEmails.id, "received", query))
  const conditions = conditionsOf(query)
  const isLive = isLiveInbox(sql`${ctx.team}`, sql`${receivedEmails.inboxId}`)
  if (conditions.length === 0)
    return ctx.batch([
      ctx.db
        .select(fields)
        .from(receivedEmails)
        .where(and(isAsked, isLive))
        .orderBy(pageOrder(receivedEmails.id, query))
        .limit(query.limit + 1),
    ] as const)
  const walk = (size: number) =>
    ctx.db
      .select({ id: receivedEmails.id })
      .from(receivedEmails)
      .where(isAsked)
      .orderBy(pageOrder(receivedEmails.id, query))
      .limit(size)
  const scanned = walk(SCAN_LIMIT).as("scanned")
  const found = ctx.db
    .select(fields)
    .from(scanned)
    .innerJoin(receivedEmails, and(isInTeam(ctx), eq(receivedEmails.id, scanned.id)))
    .where(and(isLive, ...conditions))
    .orderBy(pageOrder(receivedEmails.id, query))
    .limit(query.limit + 1)
  return ctx.batch([
    found,
    selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), found, query.limit),
  ] as const)
}

function conditionsOf({ inboxId, threadId, kind, from, subject, read, wait }: Query) {
  const { sender, subject: subjectOf } = receivedEmails
  const address = sql`${sender} ->> 'email'`
  const asked = from && normalizePart(from)
  return [
    inboxId === undefined ? undefined : eq(receivedEmails.inboxId, inboxId),
    threadId === undefined ? undefined : eq(receivedEmails.threadId, threadId),
    kind === undefined ? undefined : inArray(receivedEmails.kind, kind),
    read === undefined ? undefined : eq(receivedEmails.read, read),
    asked === undefined
      ? undefined
      : asked.startsWith("@")
        ? sql`substr(${address}, ${-asked.length}) = ${asked}`
        : sql`substr(${address}, 1, ${asked.length}) = ${asked}`,
    subject === undefined ? undefined : hasPart(subjectOf, subject.trim()),
    wait > 0 ? sql`${receivedEmails.parsed} is not null` : undefined,
  ].filter((condition) => condition !== undefined)
}

/** One record, with its texts. */
export const selectReceived = ({ db, team }: Pick<Ctx, "db"> & { team: TeamId }, id: string) =>
  db
    .select()
    .from(receivedEmails)
    .where(
      and(
        eq(receivedEmails.teamId, team),
        eq(receivedEmails.id, id),
        isLiveInbox(sql`${team}`, sql`${receivedEmails.inboxId}`),
      ),
    )
