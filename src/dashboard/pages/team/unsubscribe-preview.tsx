import { askPage } from "../../../worker/contacts/unsubscribe/page.ts"
import type { Sender } from "../../../worker/teams/contract.ts"
import { MailFrame } from "../../ui/frame.tsx"

export default function UnsubscribePreview({ email, sender }: { email: string; sender: Sender }) {
  return <MailFrame title="Unsubscribe page" html={String(askPage("en", email, sender))} />
}
