import { Circle, CircleCheck, X } from "lucide-react"
import { useState } from "react"
import type { getOverview } from "../../../worker/stats/overview/contract.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { useMay, useSession } from "../../app/people.ts"
import { IconButton } from "../../ui/button.tsx"
import { Section } from "../../ui/page.tsx"

type Done = ReplyOf<typeof getOverview>["checklist"]

const STEPS: readonly (readonly [name: keyof Done, label: string, to: string])[] = [
  ["domainVerified", "Verify a domain", "/domains?new=true"],
  ["keyCreated", "Create an API key", "/api-keys?new=true"],
  ["firstEmailSent", "Send your first email", "/start"],
  ["webhookCreated", "Add a webhook", "/webhooks?new=true"],
  ["postalAddressSet", "Set a postal address for campaigns", "/settings"],
  ["secondMember", "Invite a teammate", "/team?new=true"],
]

const STORED = "checklist-closed"

/** Shown until everything is done, or somebody closes it in this browser. */
export function Checklist({ checklist }: { checklist: Done }) {
  const { manage } = useMay()
  const { team } = useSession()
  const [closed, setClosed] = useState(localStorage.getItem(STORED))
  const done = STEPS.filter(([name]) => checklist[name]).length
  if (!manage || done === STEPS.length || closed === team.id) return null
  const close = () => {
    localStorage.setItem(STORED, team.id)
    setClosed(team.id)
  }
  return (
    <Section
      title="Get started"
      about={`${done} of ${STEPS.length} done`}
      actions={
        <IconButton label="Close this list" onClick={close}>
          <X size={16} aria-hidden />
        </IconButton>
      }
    >
      <ol className="grid gap-x-4 gap-y-3 rounded-lg border bg-raised p-4 md:grid-cols-2 lg:grid-cols-3">
        {STEPS.map(([name, label, to]) => (
          <li key={name} className="flex items-center gap-2">
            {checklist[name] ? (
              <>
                <CircleCheck size={16} aria-label="Done" className="shrink-0 text-delivered" />
                <span className="text-muted line-through">{label}</span>
              </>
            ) : (
              <>
                <Circle size={16} aria-label="To do" className="shrink-0 text-waiting" />
                <Link to={to} className="underline underline-offset-2">
                  {label}
                </Link>
              </>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
