import { assertSimulator, simulated, type Trial, type Trigger, until } from "./trial.ts"

/** An email to a mailbox of the simulator, which then has this entry on its timeline. */
export function mailTo(mailbox: string, type: string): Trigger {
  return async (trial) => {
    const emailId = await send(trial, simulated(trial, mailbox))
    return { emailId, eventId: await untilOnTimeline(trial, emailId, type) }
  }
}

export async function send(trial: Trial, to: string, tracking: object = {}): Promise<string> {
  const { client, domain, from, say, label } = trial
  assertSimulator(domain)
  const { id } = await client.emails.send({
    from,
    to,
    subject: `Sent by edgepost trigger`,
    html: '<p>A test of <a href="https://example.com/">edgepost trigger</a>.</p>',
    tags: { trigger: label },
    idempotencyKey: label,
    ...tracking,
  })
  say(`Sent ${id} from ${from} to ${to}.`)
  return id
}

/** Follows the pixel or the link of an email, as its reader would. */
export function follow(type: string, path: string): Trigger {
  return async (trial) => {
    const { client, baseUrl, say, signal } = trial
    const tracking = { trackOpens: true, trackClicks: true }
    const emailId = await send(trial, simulated(trial, "success"), tracking)
    const { data } = await client.sandbox.wait({ emailId, limit: 1 }, { signal })
    const [token] = new RegExp(`(?<=${path})[^"]+`).exec(data[0]?.html ?? "") ?? []
    if (!token) throw new Error(`${emailId} has no tracked link in the test inbox.`)
    await untilOnTimeline(trial, emailId, "delivered")
    const link = new URL(`${path}${token}`, baseUrl)
    await (await fetch(link, { redirect: "manual", signal })).body?.cancel()
    say(`Followed its ${type === "opened" ? "pixel" : "link"}: ${link}`)
    return { emailId, eventId: await untilOnTimeline(trial, emailId, type) }
  }
}

async function untilOnTimeline(trial: Trial, emailId: string, type: string): Promise<string> {
  return until(trial, `${emailId} to be ${type}`, async () => {
    const { events } = await trial.client.emails.get(emailId)
    return events.find((event) => event.type === type)?.id
  })
}
