import { useDeferredValue, useMemo } from "react"
import type { MergeContact } from "../../../worker/campaigns/blocks/merge.ts"
import { MailFrame } from "../../ui/frame.tsx"
import { type Message, NOBODY, renderMessage } from "./render-message.ts"

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
