import { useNavigate } from "@tanstack/react-router"
import type { eraseAddress } from "../../../worker/erasure/contract.ts"
import { call } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Confirm } from "../../ui/dialog.tsx"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"

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
    say(`Erased from ${counted(emails, "email")} and ${counted(contacts, "contact")}`)
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
