import type { Ctx } from "../../platform/context.ts"
import type { Step } from "../../sequences/definition/steps-contract.ts"
import { withMergeFields } from "../../sequences/template-body.ts"
import { getTemplate } from "../../templates/templates.ts"
import { domainIdOf } from "../broadcasts.ts"
import { unsupported } from "../errors.ts"
import { type Connection, toSteps } from "./graph.ts"
import type { AutomationStep } from "./steps.ts"

interface SendConfig {
  template?: { id?: string; variables?: object }
  subject?: string
  from?: string
  reply_to?: string
  topic_id?: string
}

/** A sequence has one sender, one address for replies and one topic. */
export async function toSequence(
  ctx: Ctx,
  { steps, connections }: { steps: AutomationStep[]; connections: Connection[] },
) {
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
