import type { Ctx } from "../env.ts"
import { ApiError, invalid } from "../http/errors.ts"
import { render } from "../templates/render.ts"
import { selectTemplates } from "../templates/templates.ts"
import { SEND_MAX_BYTES, type SendInput } from "./send-input.ts"

/** What an email says: as the caller wrote it, or as its template does. */
export interface Message {
  subject: string
  html: string | null
  text: string | null
  templateId: string | null
}

export type Composed = { ok: true; message: Message } | { ok: false; error: ApiError }

/** The messages of these inputs; all templates that they name are read in one round trip. */
export async function composeMessages(ctx: Ctx, inputs: readonly SendInput[]): Promise<Composed[]> {
  const named = new Set(inputs.flatMap(({ template }) => template ?? []))
  const [templates] = named.size > 0 ? await ctx.batch([selectTemplates(ctx, [...named])]) : [[]]
  const byName = new Map(templates.flatMap((one) => [[one.slug, one] as const, [one.id, one]]))
  let characters = 0
  return inputs.map((input): Composed => {
    if (input.template === undefined) return { ok: true, message: asWritten(input) }
    const template = byName.get(input.template)
    if (!template) return { ok: false, error: invalid(["template"], "Template not found.") }
    const rendering = render(template, input.variables ?? {}, input.subject)
    if (!rendering.ok) return rendering
    const { message } = rendering
    characters += message.html.length + (message.text?.length ?? 0)
    if (characters > SEND_MAX_BYTES) return { ok: false, error: tooLarge() }
    return { ok: true, message: { ...message, templateId: template.id } }
  })
}

const asWritten = ({ subject, html, text }: SendInput): Message => ({
  subject: subject as string,
  html: html ?? null,
  text: text ?? null,
  templateId: null,
})

/** A small call may render into more than a Worker's memory holds. */
const tooLarge = () =>
  new ApiError(
    "payload_too_large",
    `All that a call renders may have at most ${SEND_MAX_BYTES} characters.`,
  )
