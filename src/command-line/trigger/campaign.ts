import type { Edgepost } from "../../client/index.ts"
import type { EventType } from "../../worker/webhooks/events/types.ts"
import { assertSimulator, simulated, type Trigger, until } from "./trial.ts"

/** A campaign to one contact of the simulator. */
export function sendCampaign(count: "sent" | "delivered"): Trigger {
  return async (trial) => {
    const { client, domain, from, label, say } = trial
    assertSimulator(domain)
    const hasHappened = await createWatch(client)
    const { id: bookId } = await client.contactBooks.create({ name: label })
    const email = simulated(trial, "success")
    await client.contacts.create(bookId, { email })
    const { id } = await client.campaigns.create({
      name: label,
      bookId,
      domainId: domain.id,
      from,
      subject: "Sent by edgepost trigger",
      blocks: [{ kind: "text", html: "A test of edgepost trigger." }],
    })
    await client.campaigns.sendNow(id)
    say(`Sent the campaign ${id} from ${from} to a new book with ${email}.`)
    const type = count === "sent" ? "campaign.sent" : "campaign.completed"
    await until(trial, `${type} of ${id}`, async () => {
      const { counts } = await client.campaigns.get(id)
      return (counts[count] > 0 && (await hasHappened(type, id))) || undefined
    })
    await client.campaigns.remove(id)
    await client.contactBooks.remove(bookId)
    say("Removed the campaign and the book.")
    return { campaignId: id }
  }
}

/** Tells whether an event of a campaign is among the new ones. Without a webhook, no events are kept. */
async function createWatch(client: Edgepost) {
  const { data } = await client.webhooks.list({ limit: 1 })
  const { after } = await client.events.position()
  return async (asked: EventType, campaignId: string): Promise<boolean> => {
    if (data.length === 0) return (await client.campaigns.get(campaignId)).status === "sent"
    for await (const event of client.events.iterate({ after })) {
      const { campaign } = event.data as { campaign?: { id?: unknown } }
      if (event.type === asked && campaign?.id === campaignId) return true
    }
    return false
  }
}
