import { isNotFound } from "../../api/queries.ts"
import { MailFrame } from "../../ui/frame.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { Attachments, useContent } from "../emails/email/body.tsx"
import { PlainText } from "./plain-text.tsx"

const OWN = { showsImages: false, foldsQuotes: true }

/** What the team has sent. */
export function SentBody({ id }: { id: string }) {
  const content = useContent(id)
  if (isNotFound(content.error)) return <p className="text-muted">Content no longer available</p>
  return (
    <Loaded query={content} lines={2}>
      {({ html, text, attachments }) => (
        <div className="grid gap-4">
          {html ? <MailFrame html={html} strangers={OWN} /> : <PlainText text={text ?? ""} />}
          <Attachments id={id} files={attachments} />
        </div>
      )}
    </Loaded>
  )
}
