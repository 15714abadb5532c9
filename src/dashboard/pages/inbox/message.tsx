import { useParam } from "../../app/params.ts"
import { InboxFrame } from "./frame.tsx"

export default function MessagePage() {
  return <InboxFrame id={useParam("id")} />
}
