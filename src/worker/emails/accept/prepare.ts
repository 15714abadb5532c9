import { newId } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { ApiError, invalid } from "../../platform/http/errors.ts"
import { MIB } from "../../platform/http/input/body.ts"
import type { TemplateContent } from "../../templates/contract.ts"
import { type ParsedTemplate, parseTemplate, render } from "../../templates/render.ts"
import { selectTemplates } from "../../templates/select-templates.ts"
import { SEND_MAX_BYTES, type SendInput } from "../send-input.ts"
import type { Recipient } from "../table.ts"
import { type Fingerprints, fingerprintsOf } from "./fingerprint.ts"
import type { Refused } from "./verdict.ts"

/** An email due later than this is scheduled, not queued. */
const SCHEDULED_FROM_MS = 5_000

/** One email of a call, before it is accepted. */
export interface Item extends Fingerprints {
  index: number
  id: string
  input: SendInput
  composed: Composed
  scheduled: boolean
  notBefore: number
  /** The earlier item of the call with the same idempotency key. */
  repeats?: Item
}

interface Prepared {
  items: Item[]
  /** Each email once: without the items that repeat an earlier one. */
  firsts: Item[]
  /** An item repeats the idempotency key of an earlier one with another input. */
  conflict: Refused | null
}

/** Composes the emails of a call. Where one has a template, a round trip reads the templates. */
export async function prepareEmails(ctx: Ctx, inputs: readonly SendInput[]): Promise<Prepared> {
  const composed = await composeMessages(ctx, inputs)
  const items = inputs.map((input, index) =>
    prepare(ctx, input, composed[index] as Composed, index),
  )
  return { items, ...(await foldRepeats(ctx, items)) }
}

export function prepare(
  ctx: Pick<Ctx, "now">,
  input: SendInput,
  composed: Composed,
  index: number,
): Item {
  const now = ctx.now()
  const scheduled = (input.scheduledAt ?? 0) > now + SCHEDULED_FROM_MS
  return {
    index,
    id: newId("email", now),
    input,
    composed,
    ...fingerprintsOf(input),
    scheduled,
    notBefore: scheduled ? (input.scheduledAt as number) : now,
  }
}

/** Items of a call with the same idempotency key are one email, or a conflict if they differ. */
async function foldRepeats(ctx: Ctx, items: Item[]): Promise<Omit<Prepared, "items">> {
  const byKey = new Map<string, Item>()
  const firsts: Item[] = []
  for (const item of items) {
    const key = item.input.idempotencyKey
    const first = key === undefined ? undefined : byKey.get(key)
    if (first) {
      if (!(await areSame(ctx, first, item))) {
        return { firsts, conflict: { index: item.index, error: idempotencyConflict() } }
      }
      item.repeats = first
    } else {
      if (key !== undefined) byKey.set(key, item)
      firsts.push(item)
    }
  }
  return { firsts, conflict: null }
}

async function areSame(ctx: Ctx, first: Item, item: Item): Promise<boolean> {
  if (first.fingerprint === item.fingerprint) return true
  const { permission } = await ctx.caller()
  return (
    permission === "sending_only" && first.sendingOnlyFingerprint === item.sendingOnlyFingerprint
  )
}

export const recipientsOf = ({ to, cc, bcc }: SendInput): Recipient[] => [
  ...to.map((mailbox) => ({ ...mailbox, as: "to" as const })),
  ...cc.map((mailbox) => ({ ...mailbox, as: "cc" as const })),
  ...bcc.map((mailbox) => ({ ...mailbox, as: "bcc" as const })),
]

export const addressesOf = (input: SendInput) => [
  ...new Set(recipientsOf(input).map(({ address }) => address)),
]

export const idempotencyConflict = () =>
  new ApiError("idempotency_conflict", "This idempotency key was used with another payload before.")

/** The content of an email, from the caller or from a template. */
interface Message {
  subject: string
  html: string | null
  text: string | null
  templateId: string | null
}

type Composed = { ok: true; message: Message } | { ok: false; error: ApiError }

/** The messages of these inputs. One round trip reads all their templates. */
async function composeMessages(ctx: Ctx, inputs: readonly SendInput[]): Promise<Composed[]> {
  const named = new Set(inputs.flatMap(({ template }) => template ?? []))
  const asked = { slugsOrIds: JSON.stringify([...named]), maxBytes: MAX_TEMPLATES_BYTES }
  const [templates] = named.size > 0 ? await ctx.batch([selectTemplates(ctx, asked)]) : [[]]
  const byName = new Map<string, Renderer>()
  const budget = { characters: SEND_MAX_BYTES }
  for (const template of templates) {
    const { bodyHtml } = template
    const renderer =
      bodyHtml === null ? refuseTemplates : createRenderer({ ...template, bodyHtml }, budget)
    byName.set(template.slug, renderer).set(template.id, renderer)
  }
  return inputs.map((input): Composed => {
    if (input.template === undefined) return { ok: true, message: asWritten(input) }
    const renderer = byName.get(input.template)
    return renderer?.(input) ?? { ok: false, error: invalid(["template"], "Template not found.") }
  })
}

type Renderer = (input: SendInput) => Composed

const MAX_TEMPLATES_BYTES = 8 * MIB

const refuseTemplates: Renderer = () => ({
  ok: false,
  error: new ApiError(
    "payload_too_large",
    `All templates that a call names may have at most ${MAX_TEMPLATES_BYTES} bytes.`,
  ),
})

/** Each placeholder costs time, however short its value is: it counts as this many characters. */
const PLACEHOLDER_CHARACTERS = 128

/** Renders one template for many inputs, until the budget of the call is used up. */
function createRenderer(
  template: TemplateContent & { id: string },
  budget: { characters: number },
): Renderer {
  let parsed: ParsedTemplate | undefined
  return (input) => {
    if (budget.characters < 0) return { ok: false, error: tooLarge() }
    parsed ??= parseTemplate(template)
    const { subject, html, text } = parsed
    const parts = subject.length + html.length + (text?.length ?? 0)
    budget.characters -= (parts / 2) * PLACEHOLDER_CHARACTERS
    const rendering = render(parsed, input.variables ?? {}, input.subject)
    if (!rendering.ok) return rendering
    const { message } = rendering
    budget.characters -= message.html.length + (message.text?.length ?? 0)
    if (budget.characters < 0) return { ok: false, error: tooLarge() }
    return { ok: true, message: { ...message, templateId: template.id } }
  }
}

const asWritten = ({ subject, html, text }: SendInput): Message => ({
  subject: subject as string,
  html: html ?? null,
  text: text ?? null,
  templateId: null,
})

/** A small call may render more text than a Worker's memory holds. */
const tooLarge = () =>
  new ApiError(
    "payload_too_large",
    `All that a call renders may have at most ${SEND_MAX_BYTES} characters; a placeholder counts as at least ${PLACEHOLDER_CHARACTERS}.`,
  )
