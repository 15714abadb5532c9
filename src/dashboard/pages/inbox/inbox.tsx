import { InboxFrame } from "./frame.tsx"

export default function InboxPage() {
  return <InboxFrame />
}
