import { useState } from "react"
import type { Contact } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { Button } from "../../../ui/button.tsx"
import { Confirm } from "../../../ui/dialog/dialog.tsx"
import { doForEach } from "../../../ui/export/for-each.ts"
import { counted } from "../../../ui/numbers.ts"
import { say } from "../../../ui/toast.tsx"
import { refreshContacts } from "../data.ts"

/** What can be done with several contacts of a book. */
export function ContactActions({ contacts }: { contacts: readonly Contact[] }) {
  const [open, setOpen] = useState<"unsubscribe" | "remove" | null>(null)
  const close = () => setOpen(null)
  const subscribed = contacts.filter((contact) => contact.subscribed)
  const count = counted(contacts.length, "contact")
  return (
    <>
      <Button
        small
        onClick={() => setOpen("unsubscribe")}
        disabledBecause={subscribed.length === 0 && "None of these contacts is subscribed"}
      >
        Unsubscribe
      </Button>
      <Button small kind="danger" onClick={() => setOpen("remove")}>
        Remove
      </Button>
      <Confirm
        open={open === "unsubscribe"}
        onOpenChange={close}
        title={`Unsubscribe ${counted(subscribed.length, "contact")}?`}
        description="They get no more campaigns from this book. The opt-out is remembered."
        action="Unsubscribe"
        onConfirm={() => unsubscribeAll(subscribed)}
      />
      <Confirm
        open={open === "remove"}
        onOpenChange={close}
        title={`Remove ${count}?`}
        description="Opt-outs are remembered: a later import adds those addresses as unsubscribed, and the others as subscribed."
        action={contacts.length === 1 ? "Remove contact" : "Remove contacts"}
        typed={count}
        onConfirm={() => removeAll(contacts)}
      />
    </>
  )
}

async function unsubscribeAll(contacts: readonly Contact[]) {
  const done = await doForEach(contacts, ({ bookId, id }) =>
    api.contacts.update(bookId, id, { subscribed: false }),
  )
  refreshContacts()
  if (done.length > 0) say(`${counted(done.length, "contact")} unsubscribed`)
}

async function removeAll(contacts: readonly Contact[]) {
  const done = await doForEach(contacts, ({ bookId, id }) => api.contacts.remove(bookId, id))
  refreshContacts()
  if (done.length > 0) say(`${counted(done.length, "contact")} removed`)
}
