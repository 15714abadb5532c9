import { createInterface } from "node:readline"
import { type Command, InvalidArgumentError } from "commander"
import type { EmailEvent, EmailWithEvents } from "../client/index.ts"
import { newWebhookSecret } from "../worker/webhooks/signature.ts"
import { withExamples } from "./examples.ts"
import { followEmails } from "./follow.ts"
import { forward, type LocalEvent } from "./forward.ts"
import { paintStatus } from "./paint.ts"
import { createSession, type Session } from "./session.ts"
import type { Terminal } from "./terminal.ts"

const REPLAYABLE = 1_000

export function addWebhooks(program: Command, terminal: Terminal): void {
  const webhooks = program
    .command("webhooks")
    .description("Webhooks, and their events on this machine")
  const listen = webhooks
    .command("listen")
    .description(
      "Forward the events of emails to a local port, signed as a webhook's, until Ctrl-C.\n" +
        "The secret is printed first; EDGEPOST_WEBHOOK_SECRET sets one that stays.\n" +
        "Enter sends the last event again, the id of an event sends that one.",
    )
    .argument("<port>", "where your receiver listens", toPort)
    .option("--path <path>", "the path of your receiver", "/")
    .action(async (port: number, { path }: { path: string }) => {
      const url = `http://localhost:${port}/${path.replace(/^\/+/, "")}`
      await follow(createSession(listen, terminal), terminal, url)
    })
  withExamples(
    listen,
    "edgepost webhooks listen 3000",
    "edgepost webhooks listen 3000 --path /hooks/edgepost --json",
  )
}

function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new InvalidArgumentError("It must be the number of a port.")
}

async function follow(session: Session, terminal: Terminal, url: string): Promise<void> {
  const secret = terminal.env.EDGEPOST_WEBHOOK_SECRET || newWebhookSecret()
  const sent = new Map<string, LocalEvent>()
  let sequence = 0
  session.print({ url, secret }, `Secret  ${secret}\nURL     ${url}`)
  const send = async (event: LocalEvent) => {
    const outcome = await forward(url, secret, event)
    const { id, type } = event.body
    const result = outcome.status ?? outcome.error
    const isTaken = outcome.status !== null && outcome.status < 300
    const state = paintStatus(session.paint, isTaken ? "delivered" : "failed", String(result))
    session.print({ eventId: id, type, ...outcome }, `${type} ${id} ${state}`)
  }
  const lines = createInterface({ input: terminal.input })
  lines.on("line", (line) => {
    const event = line.trim() ? sent.get(line.trim()) : [...sent.values()].at(-1)
    if (event) void send(event)
    else terminal.errors.write("No such event was sent.\n")
  })
  const tell = async (email: EmailWithEvents, event: EmailEvent) => {
    const local = toLocalEvent(email, event, ++sequence)
    if (!local) return
    sent.set(local.body.id, local)
    const [oldest] = sent.keys()
    if (sent.size > REPLAYABLE) sent.delete(oldest!)
    await send(local)
  }
  await followEmails(session.client, terminal, tell).finally(() => lines.close())
}

/** The event as a webhook sends it. Null for a cancellation: webhooks do not send these. */
function toLocalEvent(
  { events: _events, eventsCursor: _cursor, ...email }: EmailWithEvents,
  { id, ...event }: EmailEvent,
  sequence: number,
): LocalEvent | null {
  if (event.type === "cancelled") return null
  const type = `email.${event.type}`
  return { sequence, body: { id, type, createdAt: event.occurredAt, data: { email, event } } }
}
