import { useDeferredValue, useMemo } from "react"
import type { Block, Theme } from "../../../worker/campaigns/blocks/contract.ts"
import type { MergeContact } from "../../../worker/campaigns/blocks/merge.ts"
import { composeBody, renderBody, renderSubject } from "../../../worker/campaigns/body.ts"
import { MailFrame } from "../../ui/frame.tsx"

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

export function Preview({
  message,
  contact = NOBODY,
}: {
  message: Message
  contact?: MergeContact
}) {
  const shown = useDeferredValue(message)
  const { subject, html } = useMemo(() => renderMessage(shown, contact), [shown, contact])
  return (
    <div className="grid min-w-0 gap-2">
      {subject && <p className="font-medium wrap-anywhere">{subject}</p>}
      <MailFrame html={html} title="Preview" />
    </div>
  )
}
