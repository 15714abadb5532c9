import type { Block, Theme } from "../../../worker/campaigns/blocks/contract.ts"
import type { MergeContact } from "../../../worker/campaigns/blocks/merge.ts"
import { composeBody, renderBody, renderSubject } from "../../../worker/campaigns/body.ts"

export interface Message {
  subject: string
  preheader: string | null
  header: readonly Block[]
  blocks: readonly Block[]
  footer: readonly Block[]
  theme: Theme | null
  mergeDefaults: Record<string, string>
  sender: { name: string; postalAddress: string | null }
}

export const NOBODY: MergeContact = {
  email: "ada@example.com",
  firstName: null,
  lastName: null,
  properties: {},
}

/** The message that the contact gets, by the code that the server renders with. */
export function renderMessage(message: Message, contact: MergeContact) {
  const { mergeDefaults } = message
  const body = renderBody(composeBody(message), contact, mergeDefaults, {
    unsubscribeUrl: `${location.origin}/unsubscribe/preview`,
    preferencesUrl: `${location.origin}/preferences/preview`,
  })
  return { ...body, subject: renderSubject(message.subject, contact, mergeDefaults) }
}

export const bytesOf = (text: string) => new TextEncoder().encode(text).length
