import type { Hono } from "hono"
import * as z from "zod"
import type { Ctx } from "../../platform/context.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import * as contract from "../../sequences/contract.ts"
import { MAX_STEPS, type Step } from "../../sequences/definition/steps-contract.ts"
import { activateSequence, archiveSequence, pauseSequence } from "../../sequences/move.ts"
import {
  createSequence,
  deleteSequence,
  getSequence,
  listSequences,
  updateSequence,
} from "../../sequences/sequences.ts"
import type { Wire } from "../../webhooks/resend-records.ts"
import { findOrCreateDefaultBook } from "../contacts/default-book.ts"
import { unsupported } from "../errors.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "../route.ts"
import { connection, toGraph } from "./graph.ts"
import { runRoutes } from "./runs.ts"
import { toSequence } from "./sequence.ts"
import { type AutomationStep, automationStep } from "./steps.ts"

const { createSequence: create, listSequences: list, getSequence: get } = contract
const { updateSequence: update, deleteSequence: remove, archiveSequence: archive } = contract

const status = z.enum(["enabled", "disabled"])
const changes = members("name").extend({
  status: status.optional(),
  // The trigger is none of the steps of a sequence. At most two connections leave a step.
  steps: z
    .array(automationStep)
    .max(MAX_STEPS + 1)
    .optional(),
  connections: z
    .array(connection)
    .max(2 * (MAX_STEPS + 1))
    .optional(),
})
const content = changes.required({ steps: true, connections: true })

const AT = "/automations"

/** Automations are sequences that an event starts, of contacts of the default book. */
export function automationRoutes(app: Hono<HttpEnv>): void {
  serve(app, `POST ${AT}`, create, { body: content }, async (ctx, { body }) => {
    const made = await createSequence(
      ctx,
      toJson(create, {
        name: body.name,
        bookId: await findOrCreateDefaultBook(ctx),
        ...(await toSequence(ctx, body)),
      }),
    )
    if (body.status === "enabled") await activateOrDelete(ctx, made.id)
    return { object: "automation", id: made.id }
  })
  const query = listQuery.extend({ status: status.optional() })
  serve(app, `GET ${AT}`, list, { query }, async (ctx, { query: { status, ...page } }) => {
    if (status === "disabled") throw unsupported("status", "List all, or those that are enabled.")
    const active = status && { status: "active" as const }
    return toList(
      shown(list, await listSequences(ctx, { ...toPageQuery(page), ...active })),
      toRecord,
    )
  })
  serve(app, `GET ${AT}/:id`, get, {}, async (ctx, { params }) => {
    const sequence = shown(get, await getSequence(ctx, params.id!))
    return { object: "automation", ...toRecord(sequence), ...graphOf(sequence) }
  })
  serve(app, `PATCH ${AT}/:id`, update, { body: changes }, async (ctx, { params, body }) => {
    const { id, version } = await getSequence(ctx, params.id!)
    const { name, steps, connections } = body
    if ((steps === undefined) !== (connections === undefined)) {
      throw unsupported("steps", "Change `steps` and `connections` together.")
    }
    const written = steps && connections && (await toSequence(ctx, { ...body, steps, connections }))
    if (name !== undefined || written) {
      await updateSequence(ctx, id, toJson(update, { version, name, ...written }))
    }
    if (body.status === "enabled") await activateSequence(ctx, id)
    if (body.status === "disabled") await disable(ctx, id)
    return { object: "automation", id }
  })
  serve(app, `POST ${AT}/:id/duplicate`, create, {}, async (ctx, { params }) => {
    const old = shown(get, await getSequence(ctx, params.id!))
    const copy = await createSequence(ctx, toJson(create, { ...old, name: `${old.name} (copy)` }))
    return { object: "automation", id: copy.id }
  })
  serve(app, `POST ${AT}/:id/stop`, archive, {}, async (ctx, { params }) => {
    const { id } = await archiveSequence(ctx, params.id!)
    return { object: "automation", id, status: "disabled" }
  })
  serveRemoval(app, `${AT}/:id`, remove, "automation", async (ctx, id) => {
    const { status } = await getSequence(ctx, id)
    if (status !== "draft") await archiveSequence(ctx, id)
    await deleteSequence(ctx, id)
  })
  runRoutes(app)
}

/** A call that is refused leaves no draft, so it can be made again. */
async function activateOrDelete(ctx: Ctx, id: string): Promise<void> {
  try {
    await activateSequence(ctx, id)
  } catch (error) {
    await deleteSequence(ctx, id)
    throw error
  }
}

async function disable(ctx: Ctx, id: string): Promise<void> {
  const { status } = await getSequence(ctx, id)
  if (status === "active") await pauseSequence(ctx, id)
}

type Sequence = Wire<typeof contract.sequence>

const toRecord = ({ id, name, status, createdAt, updatedAt }: Sequence) => ({
  id,
  name,
  status: status === "active" ? "enabled" : "disabled",
  created_at: createdAt,
  updated_at: updatedAt,
})

function graphOf({ steps, trigger, from, replyTo, topicId }: Sequence) {
  const graph = trigger.on === "event" ? toGraph(steps as Step[], trigger.name) : undefined
  if (!graph) {
    throw unsupported("steps", "Resend has no word for some: GET /api/v1/sequences/:id has them.")
  }
  const shared = {
    from,
    ...(replyTo !== null && { reply_to: replyTo }),
    ...(topicId !== null && { topic_id: topicId }),
  }
  const withShared = ({ config, ...step }: AutomationStep) => ({
    ...step,
    config: step.type === "send_email" ? { ...config, ...shared } : config,
  })
  return { steps: graph.steps.map(withShared), connections: graph.connections }
}
