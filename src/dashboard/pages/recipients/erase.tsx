import { useNavigate } from "@tanstack/react-router"
import type { eraseAddress } from "../../../erasure/contract.ts"
import { call } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Confirm } from "../../ui/dialog.tsx"
import { say } from "../../ui/toast.tsx"

const count = new Intl.NumberFormat()

/** Forgets the person, everywhere and for good. */
export function Erase({ email, onClose }: { email: string; onClose(): void }) {
  const navigate = useNavigate()
  const erase = async () => {
    const { contacts, emails } = await call<typeof eraseAddress>({
      method: "POST",
      path: "/erasures",
      body: { email },
      retry: true,
    })
    queries.invalidateQueries()
    await navigate({ href: "/dashboard/emails" })
    say(
      `Erased from ${count.format(emails)} ${emails === 1 ? "email" : "emails"} and ${count.format(contacts)} ${contacts === 1 ? "contact" : "contacts"}`,
    )
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Erase address"
      description={
        <>
          <p>
            The contacts with this address are removed from every book, and the contents of all mail
            to it are deleted. In the mail log a hash takes its place. What is queued or scheduled
            is cancelled.
          </p>
          <p className="mt-1">The address stays suppressed. This cannot be undone.</p>
        </>
      }
      action="Erase address"
      typed={email}
      onConfirm={erase}
    />
  )
}
