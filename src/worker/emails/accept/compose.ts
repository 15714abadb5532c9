import type { Ctx } from "../../platform/context.ts"
import { MIB } from "../../platform/http/body.ts"
import { ApiError, invalid } from "../../platform/http/errors.ts"
import type { TemplateContent } from "../../templates/contract.ts"
import { type ParsedTemplate, parseTemplate, render } from "../../templates/render.ts"
import { selectTemplates } from "../../templates/templates.ts"
import { SEND_MAX_BYTES, type SendInput } from "../send-input.ts"

/** The content of an email, from the caller or from a template. */
interface Message {
  subject: string
  html: string | null
  text: string | null
  templateId: string | null
}

export type Composed = { ok: true; message: Message } | { ok: false; error: ApiError }

/** The messages of these inputs. One round trip reads all their templates. */
export async function composeMessages(ctx: Ctx, inputs: readonly SendInput[]): Promise<Composed[]> {
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
