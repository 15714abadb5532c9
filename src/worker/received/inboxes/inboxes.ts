import { and, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm"
import { domainOf } from "../../../lib/address.ts"
import { newId } from "../../../lib/id.ts"
import { domains } from "../../domains/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit, commit } from "../../platform/db/commit.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { conflict, invalid, orNotFound } from "../../platform/http/errors.ts"
import { isInRange } from "../../platform/http/list.ts"
import { type Page, type PageQuery, toPage } from "../../platform/http/page.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { forwardingAddress } from "../forwarding.ts"
import { inboxes } from "../table.ts"
import { enqueueReceived } from "../taking/queue.ts"
import type * as contract from "./inboxes-contract.ts"
import { type Inbox, MAX_INBOXES } from "./inboxes-contract.ts"

const NOUN = "Inbox"

export async function createInbox(
  ctx: Ctx,
  input: InputOf<typeof contract.createInbox>["json"],
): Promise<Inbox> {
  const { team } = await ctx.caller()
  const id = newId("inbox", ctx.now())
  const domainName = domainOf(input.address)
  const receiving = sql`${domains} where ${domains.teamId} = ${team.id} and ${domains.name} = ${domainName}
    and ${domains.receiving} ->> 'mode' <> 'off'`
  const ofTeam = sql`${inboxes} where ${inboxes.teamId} = ${team.id} and ${inboxes.deletedAt} is null`
  const { created, known } = await commit(ctx, {
    stored: ctx.db.run(
      insertInto(
        inboxes,
        {
          ...input,
          id,
          teamId: team.id,
          domainId: domains.id,
          purgeAt: ctx.now(),
          createdAt: ctx.now(),
        },
        sql`from ${receiving} and (select count(*) from ${ofTeam}) < ${MAX_INBOXES}
          order by ${domains.status} = 'verified' desc limit 1 on conflict do nothing`,
      ),
    ),
    audit: await auditEntry(ctx, "inboxes.create", { id, label: input.address }),
    routing: checkRoutingOf(ctx, id),
    created: selectInboxes(ctx, eq(inboxes.id, id)),
    known: ctx.db.all<{ isReceiving: 0 | 1; isTaken: 0 | 1 }>(sql`
      select exists (select 1 from ${receiving}) as isReceiving,
        exists (select 1 from ${ofTeam} and ${inboxes.address} = ${input.address}) as isTaken`),
  })
  if (created[0]) return toInbox(ctx, created[0])
  if (!known[0]?.isReceiving)
    throw invalid(["address"], `The team has no domain '${domainName}' that receives`)
  throw conflict(
    known[0].isTaken
      ? `The team has the inbox '${input.address}' already.`
      : `A team has at most ${MAX_INBOXES} inboxes.`,
  )
}

export async function listInboxes(ctx: Ctx, query: PageQuery): Promise<Page<Inbox>> {
  const [rows] = await ctx.batch([
    selectInboxes(ctx, isInRange(inboxes.id, "inbox", query), query.limit + 1),
  ])
  const page = toPage(rows, query.limit)
  return { ...page, data: page.data.map((row) => toInbox(ctx, row)) }
}

export async function getInbox(ctx: Ctx, id: string): Promise<Inbox> {
  const [[row]] = await ctx.batch([selectInboxes(ctx, eq(inboxes.id, id))])
  return toInbox(ctx, orNotFound(row, NOUN))
}

export async function updateInbox(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateInbox>["json"],
): Promise<Inbox> {
  const { updated } = await commit(ctx, {
    changed: ctx.db
      .update(inboxes)
      .set({ ...changes, ...(changes.retentionDays && { purgeAt: ctx.now() }) })
      .where(isInbox(ctx, id)),
    audit: await auditEntry(ctx, "inboxes.update", { id }),
    updated: selectInboxes(ctx, eq(inboxes.id, id)),
  })
  return toInbox(ctx, orNotFound(updated[0], NOUN))
}

/** From now on nobody sees its mail. The sweep deletes it. */
export async function deleteInbox(ctx: Ctx, id: string): Promise<undefined> {
  const { deleted } = await commit(ctx, {
    deleted: ctx.db
      .update(inboxes)
      .set({ deletedAt: ctx.now(), purgeAt: ctx.now(), purgedTo: "" })
      .where(isInbox(ctx, id))
      .returning({ id: inboxes.id }),
    audit: await auditEntry(ctx, "inboxes.remove", { id }),
    routing: checkRoutingOf(ctx, id),
  })
  orNotFound(deleted[0], NOUN)
  ctx.defer(enqueueReceived(ctx))
}

/** Email Routing may need a rule for the address, or one less. */
const checkRoutingOf = (ctx: Ctx, inboxId: string) =>
  afterCommit(
    ctx.db
      .update(domains)
      .set({ routingCheckAt: ctx.now() })
      .where(
        and(
          eq(domains.teamId, ctx.team),
          isNotNull(domains.routingCheckAt),
          sql`${domains.id} = (select ${inboxes.domainId} from inboxes
            where ${inboxes.teamId} = ${ctx.team} and ${inboxes.id} = ${inboxId})`,
        ),
      )
      .returning({ teamId: domains.teamId, id: domains.id }),
    async (work, [domain]) => {
      if (!domain) return
      const { checkRouting } = await import("../../domains/routing/check.ts")
      const isIt = and(eq(domains.teamId, domain.teamId), eq(domains.id, domain.id))
      await checkRouting(work, isIt as SQL)
    },
  )

const isInbox = (ctx: Ctx, id: string) =>
  and(eq(inboxes.teamId, ctx.team), eq(inboxes.id, id), isNull(inboxes.deletedAt))

const selectInboxes = (ctx: Ctx, where: SQL | undefined, limit = 1) =>
  ctx.db
    .select({
      ...getTableColumns(inboxes),
      mode: sql<string | null>`${domains.receiving} ->> 'mode'`.as("mode"),
    })
    .from(inboxes)
    .leftJoin(domains, and(eq(domains.teamId, inboxes.teamId), eq(domains.id, inboxes.domainId)))
    .where(and(eq(inboxes.teamId, ctx.team), isNull(inboxes.deletedAt), where))
    .orderBy(sql`${inboxes.id} desc`)
    .limit(limit)

type InboxRow = Awaited<ReturnType<typeof selectInboxes>>[number]

const toInbox = (ctx: Ctx, { mode, ...row }: InboxRow): Inbox => ({
  ...row,
  forwardingAddress: mode === "forward" ? forwardingAddress(ctx, row.id) : null,
})
