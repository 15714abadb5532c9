import { useNavigate } from "@tanstack/react-router"
import type { eraseAddress } from "../../../worker/erasure/contract.ts"
import { call } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Confirm } from "../../ui/dialog/dialog.tsx"
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
            Removes this address from every contact book, deletes the content of all email to it and
            cancels queued and scheduled emails. Logs keep a hash instead of the address.
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
