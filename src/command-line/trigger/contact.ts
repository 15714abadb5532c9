import { assertSimulator, simulated, type Trigger } from "./trial.ts"

/** A contact of a new book, and these changes of it. */
export function changeContact(...changes: { firstName?: string; subscribed?: boolean }[]): Trigger {
  return async (trial) => {
    const { client, label, say } = trial
    const { id: bookId } = await client.contactBooks.create({ name: label })
    try {
      const email = simulated(trial, "success")
      const { id } = await client.contacts.create(bookId, { email })
      say(`Added the contact ${email} to a new book.`)
      for (const change of changes) {
        await client.contacts.update(bookId, id, change)
        say(`Changed it: ${JSON.stringify(change)}`)
      }
      return { contactId: id }
    } finally {
      await client.contactBooks.remove(bookId)
      say("Removed the book and its contact.")
    }
  }
}

/** A contact of a new book that is asked by mail, and its answer. */
export function askContact({ confirms }: { confirms: boolean }): Trigger {
  return async (trial) => {
    const { client, baseUrl, domain, from, label, say, signal } = trial
    assertSimulator(domain)
    const { id: bookId } = await client.contactBooks.create({ name: label, defaultFrom: from })
    try {
      const email = simulated(trial, "success")
      const { id } = await client.contacts.create(bookId, { email, confirm: true })
      say(`Asked the contact ${email} of a new book to confirm.`)
      if (confirms) {
        const { data } = await client.sandbox.wait({ to: email, limit: 1 }, { signal })
        const [path] = /\/confirm\/[\w.-]+/.exec(data[0]?.text ?? "") ?? []
        if (!path) throw new Error("The mail that asks is not in the test inbox.")
        await (await fetch(new URL(path, baseUrl), { method: "POST", signal })).body?.cancel()
        say("Confirmed by the link of the mail.")
      }
      return { contactId: id }
    } finally {
      await client.contactBooks.remove(bookId)
      say("Removed the book and its contact.")
    }
  }
}
