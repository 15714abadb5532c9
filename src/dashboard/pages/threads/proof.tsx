import type { ReceivedEmail } from "../../../client/types.ts"
import { Badge } from "../../ui/badge.tsx"
import { hint } from "../../ui/button.tsx"

export const nameOf = ({ from: { name, email } }: ReceivedEmail) =>
  name ? `${name} <${email}>` : email || "Unknown sender"

const PROOFS: Record<ReceivedEmail["sender"]["state"], readonly [label: string, why: string]> = {
  verified: ["Verified", "Signed by the sender's domain."],
  unverified: ["Unverified", "Not signed by the sender's domain. Anyone could have written this."],
  failed: ["Failed", "The signature of the sender's domain is wrong. This may be forged."],
}

/** Whether it is proven who sent it, in a word. */
export function Proof({ received: { sender, kind, parsed } }: { received: ReceivedEmail }) {
  if (parsed === null) return <Badge state="waiting" label="Processing" />
  const [label, why] = PROOFS[sender.state]
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the hint */}
      <span tabIndex={0} {...hint(why)}>
        <Badge state={sender.state} label={label} />
      </span>
      {kind === "autoReply" && <span className="text-muted">Automatic reply</span>}
    </>
  )
}
