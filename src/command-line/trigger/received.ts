import { send } from "./email.ts"
import { simulated, type Trigger, until } from "./trial.ts"

/** Mail to a new inbox of the domain, which may answer an email. */
export function receive(isReply: boolean): Trigger {
  return async (trial) => {
    const { client, domain, label, say } = trial
    const { mode } = domain.receiving
    if (mode === "off") await client.domains.update(domain.id, { receiving: "forward" })
    const { id: inboxId, address } = await client.inboxes.create({
      address: `${label}@${domain.name}`,
    })
    try {
      const answered = isReply ? await send(trial, simulated(trial, "success")) : undefined
      const message = [
        "From: Ada <ada@example.com>",
        `To: ${address}`,
        "Subject: Received by edgepost trigger",
        `Message-ID: <${label}@example.com>`,
        ...(answered ? [`In-Reply-To: <${answered}@${domain.name}>`] : []),
        "",
        "A test of edgepost trigger.",
      ]
      const bytes = new TextEncoder().encode(message.join("\r\n"))
      const { id } = await client.receivedEmails.create(bytes, {
        to: address,
        from: "ada@example.com",
      })
      say(`Handed ${id} in to the new inbox ${address}.`)
      await until(trial, `${id} to be worked off`, async () => {
        const { parsed } = await client.receivedEmails.get(id)
        return parsed ?? undefined
      })
      return { receivedId: id, ...(answered && { emailId: answered }) }
    } finally {
      await client.inboxes.remove(inboxId)
      if (mode === "off") await client.domains.update(domain.id, { receiving: "off" })
      say("Removed the inbox.")
    }
  }
}
