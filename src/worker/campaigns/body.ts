import { CONTROL_CHARACTERS, truncate } from "../../lib/text.ts"
import type { Sender } from "../teams/contract.ts"
import type { Block, Theme } from "./blocks/contract.ts"
import {
  fill,
  inSubject,
  type MergeContact,
  mergeValue,
  type Template,
  toTemplate,
} from "./blocks/merge.ts"
import { preheaderOf } from "./blocks/preheader.ts"
import { renderHtml } from "./blocks/render-html.ts"
import { renderText } from "./blocks/render-text.ts"

/** The body of a campaign, frozen when sending starts, with its merge fields still empty. */
export interface ComposedBody {
  html: Template
  /** Empty: it is made from the html. */
  text: Template
  /** Of a template: what stands where a contact has no value. */
  defaults?: Defaults
}

interface Composition {
  subject: string
  preheader: string | null
  header: readonly Block[]
  blocks: readonly Block[]
  footer: readonly Block[]
  theme: Theme | null
  sender: Sender
}

interface Layout {
  blocks: readonly Block[]
  theme: Theme | null
}

/** The campaign in its layouts. Its own theme goes before theirs. */
export const inLayouts = (
  {
    subject,
    preheader,
    blocks,
    theme,
  }: Pick<Composition, "subject" | "preheader" | "blocks" | "theme">,
  { header, footer }: { header: Layout | undefined; footer: Layout | undefined },
) => ({
  subject,
  preheader,
  blocks,
  header: header?.blocks ?? [],
  footer: footer?.blocks ?? [],
  theme: theme ?? header?.theme ?? footer?.theme ?? null,
})

export function composeBody({
  subject,
  preheader,
  header,
  blocks,
  footer,
  theme,
  sender,
}: Composition): ComposedBody {
  const all = [...header, ...blocks, ...footer]
  return {
    html: toTemplate(
      renderHtml({
        subject,
        preheader: preheader ?? preheaderOf(blocks),
        blocks: all,
        theme,
        sender,
      }),
    ),
    text: toTemplate(renderText(all, sender)),
  }
}

/** The characters of a part without any values. */
export const lengthOf = (part: Template): number =>
  part.reduce((sum, piece) => sum + (typeof piece === "string" ? piece.length : 0), 0)

type Defaults = Record<string, string>

/** The limit of html, and of text. Several messages of a campaign are in memory at once. */
export const MAX_PART_CHARACTERS = 1_000_000

export const isTooLong = ({ html, text }: { html: string; text: string }) =>
  Math.max(html.length, text.length) > MAX_PART_CHARACTERS

/** The signed links of one recipient. */
interface RecipientLinks {
  unsubscribeUrl: string
  preferencesUrl: string
}

/** Where one part is too long, rendering stops early. */
export function renderBody(
  body: ComposedBody,
  contact: MergeContact,
  defaults: Defaults,
  links: RecipientLinks,
): { html: string; text: string } {
  const value = mergeValue(contact, defaults)
  const read = (field: string) => links[field as keyof RecipientLinks] ?? value(field)
  const filled = (part: "html" | "text") => fill(body[part], read, MAX_PART_CHARACTERS)
  return { html: filled("html"), text: filled("text") }
}

const MAX_SUBJECT_CHARACTERS = 998

/** A subject is one header line, so control characters of a contact's values become spaces. */
export const renderSubject = (subject: string, contact: MergeContact, defaults: Defaults): string =>
  truncate(
    fill(toTemplate(inSubject(subject)), mergeValue(contact, defaults), MAX_SUBJECT_CHARACTERS)
      .split(CONTROL_CHARACTERS)
      .join(" "),
    MAX_SUBJECT_CHARACTERS,
  )

/** The subject with default values only. */
export const subjectOfNobody = (campaign: {
  subject: string
  mergeDefaults: Defaults | null
}): string => renderSubject(campaign.subject, NOBODY, campaign.mergeDefaults ?? {})

const NOBODY: MergeContact = { email: "", firstName: null, lastName: null, properties: {} }
