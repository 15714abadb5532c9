import { useState } from "react"
import type { Contact } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { Button } from "../../../ui/button.tsx"
import { Confirm } from "../../../ui/dialog/dialog.tsx"
import { say } from "../../../ui/toast.tsx"
import { refreshContacts } from "../data.ts"

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
        description={
          contact.subscribed
            ? "If you import this address later, it is subscribed again. To stop email to it, unsubscribe it instead."
            : "The opt-out is remembered: a later import adds this address as unsubscribed."
        }
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
