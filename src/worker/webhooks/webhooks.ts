import { and, eq, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { seal } from "../../lib/seal.ts"
import { DAY_MS } from "../../lib/time.ts"
import { newWebhookSecret } from "../../lib/webhook-signature.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { afterCommit, commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, invalid, orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { keepChanges, newPublication } from "../stream/outbox.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { findTarget } from "./address-guard.ts"
import type {
  createWebhook as createContract,
  updateWebhook as updateContract,
  Webhook,
} from "./contract.ts"
import { dropPending, droppedAtNow, NO_POSITION } from "./deliveries/drop.ts"
import { SLOW_PART } from "./events/catch-up.ts"
import { enqueueHints } from "./events/queue.ts"
import {
  deletedWebhooks,
  deliveries,
  eventSequences,
  type WebhookRow,
  webhooks,
} from "./events/table.ts"

export const MAX_WEBHOOKS = 50

/** How long the previous secret may sign beside the new one. */
const OVERLAP_MS = DAY_MS

/** The `restsUntil` of a webhook that gets one delivery at a time until its receiver's first quick answer. */
const UNTRIED = 0

/** The sweep deletes the rest. */
const DELETED_AT_ONCE = 500

export async function createWebhook(
  ctx: Ctx,
  { name, url, events, format }: InputOf<typeof createContract>["json"],
) {
  const { team } = await ctx.caller()
  await refusePrivate(ctx, url)
  const now = ctx.now()
  const id = newId("webhook", now)
  const secret = newWebhookSecret()
  const last = sql`ifnull((select ${eventSequences.last} from event_sequences
    where ${eventSequences.teamId} = ${team.id}), 0)`
  const { created } = await commit(ctx, {
    inserted: ctx.db.run(sql`
      ${insertInto(
        webhooks,
        {
          teamId: team.id,
          id,
          name,
          url,
          events: JSON.stringify(events),
          format,
          secret: seal(ctx.settings, id, secret),
          restsUntil: UNTRIED,
          position: last,
          deliverUntil: sql`${last} + ${ctx.settings.WEBHOOK_PENDING_LIMIT * SLOW_PART}`,
          createdAt: now,
          updatedAt: now,
        },
        sql`where (select count(*) from webhooks where ${eq(webhooks.teamId, team.id)}) < ${MAX_WEBHOOKS}`,
      )}`),
    audit: await auditEntry(ctx, "webhooks.create", { id, label: name ?? new URL(url).host }),
    created: keepChange(ctx, team.id, id),
    sequence: ctx.db
      .insert(eventSequences)
      .values({ teamId: team.id, last: 0 })
      .onConflictDoNothing(),
  })
  if (created.length === 0) throw conflict(`A team has at most ${MAX_WEBHOOKS} webhooks.`)
  return { id, secret }
}

export const listWebhooks = (ctx: Ctx, query: PageQuery): Promise<Page<Webhook>> =>
  listRecords(ctx, webhooks, "webhook", query)

export async function getWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const [[row]] = await ctx.batch([selectWebhook(ctx, id)])
  return webhookOrNotFound(row)
}

export async function updateWebhook(
  ctx: Ctx,
  id: string,
  { name, url, events, format, enabled }: InputOf<typeof updateContract>["json"],
): Promise<Webhook> {
  const { team } = await ctx.caller()
  if (url !== undefined) await refusePrivate(ctx, url)
  const { row } = await commit(ctx, {
    row: afterCommit(
      ctx.db
        .update(webhooks)
        .set({
          name,
          url,
          events,
          format,
          enabled,
          ...(enabled === false && { droppedAt: droppedAtNow(ctx), ...NO_POSITION }),
          ...(enabled && {
            failingSince: sql`iif(${webhooks.enabled}, ${webhooks.failingSince}, null)`,
            disabledReason: null,
          }),
          // A new or mended receiver is tried at once, with one delivery.
          ...(enabled && { restsUntil: untriedUnlessQuick }),
          ...(url !== undefined && { restsUntil: UNTRIED }),
          updatedAt: ctx.now(),
        })
        .where(isWebhook(ctx, id))
        .returning(),
      (work, [row]) =>
        row?.restsUntil === UNTRIED
          ? enqueueHints(work, [{ teamId: team.id, webhookId: id, notBefore: work.now() }])
          : undefined,
    ),
    audit: await auditEntry(ctx, "webhooks.update", { id }),
    changes: keepChange(ctx, team.id, id),
    dropped: dropPending(ctx, [{ teamId: team.id, webhookId: id }]),
  })
  return webhookOrNotFound(row[0])
}

export async function deleteWebhook(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const ofWebhook = and(eq(deliveries.teamId, team.id), eq(deliveries.webhookId, id))
  const isDeleted = and(eq(deletedWebhooks.teamId, team.id), eq(deletedWebhooks.id, id))
  const { deleted } = await commit(ctx, {
    changes: keepChange(ctx, team.id, id),
    noted: ctx.db.run(
      insertInto(
        deletedWebhooks,
        { teamId: webhooks.teamId, id: webhooks.id },
        sql`from webhooks where ${isWebhook(ctx, id)}`,
      ),
    ),
    deleted: ctx.db.delete(webhooks).where(isWebhook(ctx, id)).returning(),
    audit: await auditEntry(ctx, "webhooks.delete", { id }),
    deliveries: ctx.db.delete(deliveries).where(sql`${ofWebhook}
      and exists (select 1 from ${deletedWebhooks} where ${isDeleted})
      and ${deliveries.id} in (
        select ${deliveries.id} from deliveries where ${ofWebhook} limit +${DELETED_AT_ONCE})`),
    finished: ctx.db
      .delete(deletedWebhooks)
      .where(sql`${isDeleted} and not exists (select 1 from deliveries where ${ofWebhook})`),
  })
  webhookOrNotFound(deleted[0])
}

/** The next attempts sign with the new secret; with `overlap`, also with the old one for a day. */
export async function rotateSecret(ctx: Ctx, id: string, { overlap } = { overlap: false }) {
  const { team } = await ctx.caller()
  const secret = newWebhookSecret()
  const { row } = await commit(ctx, {
    row: ctx.db
      .update(webhooks)
      .set({
        secret: seal(ctx.settings, id, secret),
        previousSecret: overlap ? sql`${webhooks.secret}` : null,
        previousSecretUntil: overlap ? ctx.now() + OVERLAP_MS : null,
        updatedAt: ctx.now(),
      })
      .where(isWebhook(ctx, id))
      .returning(),
    audit: await auditEntry(ctx, "webhooks.rotateSecret", { id }),
    changes: keepChange(ctx, team.id, id),
  })
  webhookOrNotFound(row[0])
  return { secret }
}

export const selectWebhook = (ctx: Ctx, id: string) =>
  ctx.db.select().from(webhooks).where(isWebhook(ctx, id))

export const webhookOrNotFound = (row: WebhookRow | undefined) => orNotFound(row, "Webhook")

export function assertEnabled(enabled: boolean): asserts enabled {
  if (!enabled) throw conflict("The webhook is disabled.")
}

/** The reply of a call that makes one delivery: none is made for a disabled webhook. */
export function toDeliveryId([delivery]: { id: string }[]): { deliveryId: string } {
  assertEnabled(delivery !== undefined)
  return { deliveryId: delivery.id }
}

const isWebhook = (ctx: Ctx, id: string) => and(eq(webhooks.teamId, ctx.team), eq(webhooks.id, id))

/** A failed look-up passes: every attempt looks the name up again. */
async function refusePrivate(ctx: Ctx, url: string): Promise<void> {
  const { kind } = await findTarget(ctx.settings, url)
  if (kind === "private") throw invalid(["url"], "Must be an https URL of a public host")
}

/** Nothing changes for a webhook that was enabled and whose receiver is quick. */
const untriedUnlessQuick = sql`iif(${webhooks.enabled} and ${webhooks.restsUntil} is null, null, ${UNTRIED})`

const keepChange = (ctx: Ctx, teamId: string, id: string) =>
  keepChanges(
    ctx,
    sql`select ${webhooks.teamId}, 'webhook' as type, ${webhooks.id} from webhooks
      where ${webhooks.teamId} = ${teamId} and ${webhooks.id} = ${id}`,
    newPublication(ctx),
  )
