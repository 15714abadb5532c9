import { askPage } from "../../../../worker/contacts/unsubscribe/page.ts"
import type { Sender } from "../../../../worker/teams/contract.ts"
import { MailFrame } from "../../../ui/frame.tsx"

export default function UnsubscribePreview({ email, sender }: { email: string; sender: Sender }) {
  const page = askPage({ language: "en", email, sender, preferences: "#" })
  return <MailFrame title="Unsubscribe page" html={String(page)} />
}
