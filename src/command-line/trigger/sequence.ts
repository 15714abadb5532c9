import { assertSimulator, simulated, type Trigger, until } from "./trial.ts"

/** A contact of a new book goes through a sequence that is held, and then to its end. */
export function runSequence(): Trigger {
  return async (trial) => {
    const { client, domain, from, label, say } = trial
    assertSimulator(domain)
    const { id: bookId } = await client.contactBooks.create({ name: label })
    const email = simulated(trial, "success")
    const { id: contactId } = await client.contacts.create(bookId, { email })
    const template = { slug: label, name: label, subject: "A", bodyHtml: "<p>{{ missing }}</p>" }
    const { id: templateId } = await client.templates.create(template)
    const { id } = await client.sequences.create({
      bookId,
      name: label,
      domainId: domain.id,
      from,
      trigger: { on: "call" },
      steps: [
        { key: "tell", kind: "notify" },
        { key: "mail", kind: "send", subject: "Sent by edgepost trigger", templateId },
      ],
    })
    await client.sequences.activate(id)
    await client.sequences.start(id, { contactIds: [contactId] })
    const read = async () => (await client.sequences.runs(id)).data[0]
    const runId = await until(trial, `the run of ${id} to be held`, async () => {
      const run = await read()
      return run?.state === "held" ? run.id : undefined
    })
    await client.runs.end(runId)
    say(`Sent ${email} through the sequence ${id}.`)
    await client.sequences.archive(id)
    await client.sequences.remove(id)
    await client.templates.remove(templateId)
    await client.contactBooks.remove(bookId)
    say("Removed the sequence, the template and the book.")
    return { sequenceId: id, runId }
  }
}
