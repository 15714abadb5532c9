import type { Hono } from "hono"
import * as z from "zod"
import type { Ctx } from "../platform/context.ts"
import { notFound } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import * as contract from "../sequences/contract.ts"
import { MAX_STEPS, type Step } from "../sequences/definition/steps-contract.ts"
import { activateSequence, archiveSequence, pauseSequence } from "../sequences/move.ts"
import * as runsContract from "../sequences/runs/contract.ts"
import { getRun, listRuns } from "../sequences/runs/runs.ts"
import {
  createSequence,
  deleteSequence,
  getSequence,
  listSequences,
  updateSequence,
} from "../sequences/sequences.ts"
import { withMergeFields } from "../sequences/template-body.ts"
import { getTemplate } from "../templates/templates.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import {
  type AutomationStep,
  automationStep,
  connection,
  toGraph,
  toSteps,
} from "./automation-steps.ts"
import { domainIdOf } from "./broadcasts.ts"
import { findOrCreateDefaultBook } from "./contacts/default-book.ts"
import { unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, shown, toJson } from "./route.ts"

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
type Content = z.output<typeof content>

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
  serve(app, `DELETE ${AT}/:id`, remove, {}, async (ctx, { params: { id = "" } }) => {
    const { status } = await getSequence(ctx, id)
    if (status !== "draft") await archiveSequence(ctx, id)
    await deleteSequence(ctx, id)
    return { object: "automation", id, deleted: true }
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

interface SendConfig {
  template?: { id?: string; variables?: object }
  subject?: string
  from?: string
  reply_to?: string
  topic_id?: string
}

/** A sequence has one sender, one address for replies and one topic. */
async function toSequence(ctx: Ctx, { steps, connections }: Content) {
  const sending = new Map<string, { templateId: string; subject: string }>()
  const configs = steps
    .filter(({ type }) => type === "send_email")
    .map(({ key, config }) => ({ key, ...(config as SendConfig) }))
  for (const { key, template, subject } of configs) {
    if (Object.keys(template?.variables ?? {}).length > 0) {
      throw unsupported("variables", "A template is filled from the contact and its properties.")
    }
    const found = await getTemplate(ctx, template?.id ?? "")
    sending.set(key, { templateId: found.id, subject: subject ?? withMergeFields(found.subject) })
  }
  const toSend = (key: string, source: AutomationStep): Step => ({
    key,
    kind: "send",
    preheader: null,
    ...(sending.get(source.key) as { templateId: string; subject: string }),
  })
  const graph = toSteps(steps, connections, toSend)
  const from = theOne(configs, "from")
  if (from === undefined) {
    throw unsupported("steps", "An automation sends: a step `send_email` needs `from`.")
  }
  return {
    from,
    domainId: await domainIdOf(ctx, from),
    replyTo: theOne(configs, "reply_to") ?? null,
    topicId: theOne(configs, "topic_id") ?? null,
    trigger: { on: "event", name: graph.eventName },
    steps: graph.steps,
  }
}

function theOne(configs: readonly SendConfig[], name: "from" | "reply_to" | "topic_id") {
  const [first, other] = new Set(configs.flatMap((config) => config[name] ?? []))
  if (other !== undefined) throw unsupported(name, "It is the same in all steps of an automation.")
  return first
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

const RUN_STATUSES = { waiting: "running", held: "failed" } as const

function statusOf({ state, endedBy }: Wire<typeof runsContract.run>) {
  if (state !== "done") return RUN_STATUSES[state]
  return endedBy === "finished" ? "completed" : "cancelled"
}

function runRoutes(app: Hono<HttpEnv>): void {
  const { listRuns: runs, getRun: run } = runsContract
  const query = listQuery.extend({ status: z.string().optional() })
  serve(app, `GET ${AT}/:id/runs`, runs, { query }, async (ctx, { params, query }) => {
    const { status, ...page } = query
    const state = { running: "waiting", failed: "held" }[status ?? ""] as "waiting" | "held"
    if (status !== undefined && !state) {
      throw unsupported(
        "status",
        "List all runs, those that are `running`, or those that are `failed`.",
      )
    }
    const found = await listRuns(ctx, params.id!, { ...toPageQuery(page), state })
    return toList(shown(runs, found), toRun)
  })
  serve(app, `GET ${AT}/:id/runs/:runId`, run, {}, async (ctx, { params }) => {
    const found = shown(run, await getRun(ctx, params.runId!))
    const sequence = await getSequence(ctx, params.id!)
    if (found.sequenceId !== sequence.id) throw notFound("Run")
    const graph = toGraph(sequence.steps, "")
    const types = new Map(graph?.steps.map(({ key, type }) => [key, type]))
    return {
      object: "automation_run",
      ...toRun(found),
      steps: found.history.map(({ stepKey, at, outcome, emailId }) => ({
        key: stepKey,
        type: types.get(stepKey) ?? null,
        status: outcome === "skipped" ? "skipped" : "completed",
        output: emailId === null ? null : { email_id: emailId },
        error: null,
        started_at: at,
        completed_at: at,
        created_at: at,
      })),
    }
  })
}

const toRun = (run: Wire<typeof runsContract.run>) => ({
  id: run.id,
  status: statusOf(run),
  started_at: run.startedAt,
  completed_at: run.endedAt,
  created_at: run.startedAt,
})
