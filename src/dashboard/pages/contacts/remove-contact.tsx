import { useState } from "react"
import type { Contact } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { say } from "../../ui/toast.tsx"
import { refreshContacts } from "./data.ts"

export function RemoveContact({ contact, onRemoved }: { contact: Contact; onRemoved(): void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="danger" className="mr-auto" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title="Remove contact"
        description="If you import this address later, it is added as subscribed. To remember the opt-out, unsubscribe it instead."
        action="Remove contact"
        typed={contact.email}
        onConfirm={async () => {
          await api.contacts.remove(contact.bookId, contact.id)
          refreshContacts()
          say("Contact removed")
          onRemoved()
        }}
      />
    </>
  )
}
