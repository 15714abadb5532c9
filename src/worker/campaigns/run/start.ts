import { sql } from "drizzle-orm"
import { gzip } from "../../../lib/gzip.ts"
import { assertMaySendFrom } from "../../access/may-send-from.ts"
import type { Ctx, Work } from "../../platform/context.ts"
import { commit, type Statement } from "../../platform/db/commit.ts"
import { deleteObjects, objectKeyOf, store } from "../../platform/db/overflow.ts"
import { ApiError, conflict, invalid } from "../../platform/http/errors.ts"
import { CAMPAIGN_BACKOFF_MS } from "../../platform/queues/due-work.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { readPlaceholders } from "../blocks/merge.ts"
import { lostTargets, textsOf } from "../blocks/texts.ts"
import {
  type ComposedBody,
  composeBody,
  inLayouts,
  lengthOf,
  MAX_PART_CHARACTERS,
} from "../body.ts"
import type { Campaign } from "../contract.ts"
import { readReferences } from "../references.ts"
import { campaignBodies, campaigns } from "../table.ts"
import { type CampaignRow, campaignOrNotFound, selectCampaign, toCampaign } from "../view.ts"
import { EDITABLE, isAsRead, isEditable, moveCampaign, moveStatements, nextUpdate } from "./move.ts"

export async function scheduleCampaign(
  ctx: Ctx,
  id: string,
  scheduledAt: number,
): Promise<Campaign> {
  if (scheduledAt <= ctx.now()) throw invalid(["scheduledAt"], "Must be in the future")
  const campaign = await readSendable(ctx, id, "scheduled")
  await compose(ctx, campaign)
  const scheduled = await moveCampaign(ctx, campaign, EDITABLE, {
    action: "campaigns.schedule",
    campaign: { status: "scheduled", scheduledAt },
    run: { dueAt: scheduledAt },
    wakeAt: scheduledAt,
  })
  if (scheduled.status !== "scheduled") throw cannotBe("scheduled", scheduled)
  return toCampaign(scheduled)
}

export async function sendCampaign(ctx: Ctx, id: string): Promise<Campaign> {
  const row = await readSendable(ctx, id, "sent")
  const audit = [await auditEntry(ctx, "campaigns.sendNow", { id })]
  const at = { wakeAt: ctx.now(), audit }
  const started = await startCampaign(ctx, { ...row, scheduledAt: null }, at)
  if (!started) throw conflict("The campaign was changed or sent at the same time.")
  const [[sending]] = await ctx.batch([selectCampaign(ctx, row.teamId, id)])
  return toCampaign(campaignOrNotFound(sending))
}

async function readSendable(ctx: Ctx, id: string, purpose: string) {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([selectCampaign(ctx, team.id, id)])
  const campaign = campaignOrNotFound(row)
  if (!isEditable(campaign)) throw cannotBe(purpose, campaign)
  await assertMaySendFrom(ctx, campaign.domainId)
  return campaign
}

const cannotBe = (purpose: string, { status }: { status: string }) =>
  conflict(`A campaign in status '${status}' cannot be ${purpose}.`)

/** Starts a scheduled campaign. One that can no longer be sent becomes a draft that says why. */
export async function startScheduled(work: Work, row: CampaignRow): Promise<boolean> {
  try {
    return await startCampaign(work, row)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await commit(
      work,
      moveStatements(work, row, isAsRead(row), {
        campaign: { status: "draft", scheduledAt: null, updatedAt: nextUpdate(work) },
        run: { dueAt: null, pausedReason: error.message },
      }),
    )
    return false
  }
}

/** Blocks may become far more html than they have characters. */
export function refuseTooLong(body: ComposedBody): void {
  const longest = Math.max(...[body.html, body.text].map(lengthOf))
  if (longest > MAX_PART_CHARACTERS) {
    throw invalid(["blocks"], `The message may have at most ${MAX_PART_CHARACTERS} characters`)
  }
}

/** A placeholder that no value fills would be sent as it is written. */
export function refuseUnfilled(
  texts: Record<string, readonly string[]>,
  within: readonly string[] = [],
): void {
  for (const [field, list] of Object.entries(texts)) {
    const path = [...within, field]
    for (const text of list) {
      const { unknown, isBroken } = readPlaceholders(text, { inSubject: field === "subject" })
      const [name] = unknown
      if (name !== undefined) throw invalid(path, `{{ ${name} }} is not a merge field`)
      if (isBroken) throw invalid(path, "A merge field is broken: {{ and }} stand in pairs")
    }
  }
}

/** The body that a start would send now. Refuses what it would refuse. */
async function compose(work: Work, row: CampaignRow) {
  const { header, footer, team, segmentFilter } = await readReferences(work, row.teamId, row)
  refuseUnfilled({
    subject: [row.subject],
    preheader: [row.preheader ?? ""],
    blocks: row.blocks.flatMap(textsOf),
    headerLayoutId: header?.blocks.flatMap(textsOf) ?? [],
    footerLayoutId: footer?.blocks.flatMap(textsOf) ?? [],
  })
  const [lost] = row.blocks.flatMap(lostTargets)
  if (lost !== undefined) {
    throw invalid(["blocks"], `A merge field may only stand behind the host of a link: ${lost}`)
  }
  const body = composeBody({ ...inLayouts(row, { header, footer }), sender: team })
  refuseTooLong(body)
  return { body, segmentFilter }
}

/** Freezes the campaign's body and starts the fan-out, unless the campaign has changed since. */
async function startCampaign(
  work: Work,
  row: CampaignRow,
  { wakeAt, audit = [] }: { wakeAt?: number; audit?: Statement[] } = {},
): Promise<boolean> {
  const { body, segmentFilter } = await compose(work, row)
  // Each start has an object of its own: a start that loses must not replace the body of the winner.
  const stored = await store(work.env, gzip(JSON.stringify(body)), () =>
    objectKeyOf("campaigns", row.teamId, `${row.id}/${crypto.randomUUID()}`),
  )
  const { moved } = await commit(work, {
    body: work.db
      .insert(campaignBodies)
      .select(
        work.db
          .select({
            teamId: campaigns.teamId,
            campaignId: campaigns.id,
            body: sql`${stored.body}`.as("body"),
            objectKey: sql`${stored.objectKey}`.as("object_key"),
          })
          .from(campaigns)
          .where(isAsRead(row)),
      )
      .onConflictDoNothing(),
    ...moveStatements(work, row, isAsRead(row), {
      campaign: { status: "sending", scheduledAt: row.scheduledAt },
      run: { dueAt: work.now() + CAMPAIGN_BACKOFF_MS, segmentFilter },
      wakeAt,
    }),
    audit,
  })
  const isStarted = moved.length > 0
  if (!isStarted) await deleteObjects(work.env, [stored])
  return isStarted
}
