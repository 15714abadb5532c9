import { CONTROL_CHARACTERS } from "../lib/text.ts"
import type { Sender } from "../teams/teams.ts"
import type { Block, Theme } from "./blocks.ts"
import { fill, inText, type MergeContact, mergeValue } from "./merge.ts"
import { preheaderOf } from "./preheader.ts"
import { renderHtml } from "./render-html.ts"
import { renderText } from "./render-text.ts"

/** What a campaign says, frozen when sending starts; only the merge fields are still open. */
export interface ComposedBody {
  html: string
  text: string
}

interface Composition {
  subject: string
  header: readonly Block[]
  blocks: readonly Block[]
  footer: readonly Block[]
  theme: Theme | null
  sender: Sender
}

export function composeBody({
  subject,
  header,
  blocks,
  footer,
  theme,
  sender,
}: Composition): ComposedBody {
  const all = [...header, ...blocks, ...footer]
  return {
    html: renderHtml({ subject, preheader: preheaderOf(blocks), blocks: all, theme, sender }),
    text: renderText(all, sender),
  }
}

type Defaults = Record<string, string>

/** The message that one recipient gets. */
export function renderBody(
  body: ComposedBody,
  contact: MergeContact,
  defaults: Defaults,
  unsubscribeUrl: string,
): ComposedBody {
  const value = mergeValue(contact, defaults)
  const read = (field: string) => (field === "unsubscribeUrl" ? unsubscribeUrl : value(field))
  return { html: fill(body.html, read), text: fill(body.text, read) }
}

const MAX_SUBJECT_CHARACTERS = 998

/** A subject is one line of a header, whatever a contact's values are. */
export const renderSubject = (subject: string, contact: MergeContact, defaults: Defaults): string =>
  fill(inText(subject), mergeValue(contact, defaults))
    .split(CONTROL_CHARACTERS)
    .join(" ")
    .slice(0, MAX_SUBJECT_CHARACTERS)

/** The same for nobody in particular: fallbacks alone. */
export const subjectOfNobody = (campaign: {
  subject: string
  mergeDefaults: Defaults | null
}): string => renderSubject(campaign.subject, NOBODY, campaign.mergeDefaults ?? {})

const NOBODY: MergeContact = { email: "", firstName: null, lastName: null, properties: {} }
