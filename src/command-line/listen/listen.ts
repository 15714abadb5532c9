import { createInterface } from "node:readline"
import { type Command, InvalidArgumentError } from "commander"
import type { Email, EventPage, ReceivedEmail } from "../../client/index.ts"
import { newWebhookSecret } from "../../lib/webhook-signature.ts"
import { EVENT_TYPES } from "../../worker/webhooks/events/types.ts"
import { describeRecipients } from "../emails/recipients.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { clean, paintStatus } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { followEvents } from "./follow-events.ts"
import { forward } from "./forward.ts"

const REPLAYABLE = 1_000

type Event = EventPage["data"][number]

interface Options {
  path: string
  events: string[]
}

export function addListen(program: Command, terminal: Terminal): void {
  const webhooks = program
    .command("webhooks")
    .description("Webhooks, and their events on this machine")
  for (const parent of [program, webhooks]) {
    const listen = parent
      .command("listen")
      .summary("follow every event of the team, or forward them to this machine")
      .description(
        "Follow every event of the team, until Ctrl-C: of emails, domains, contacts and campaigns.\n" +
          "With a port, forward them to your receiver, signed as a webhook's. The secret is printed\n" +
          "first; EDGEPOST_WEBHOOK_SECRET sets one that stays. Enter sends the last event again, the\n" +
          "id of an event sends that one.\n" +
          "A team has events while it has a webhook. If there is none, the command makes one that is\n" +
          "disabled, and removes it at the end.",
      )
      .argument("[port]", "where your receiver listens", toPort)
      .option("--path <path>", "the path of your receiver", "/")
      .option("--events <types>", "only these types, such as email.bounced,contact.*", toTypes, [])
      .action(async (port: number | undefined, { path, events }: Options) => {
        const session = createSession(listen, terminal)
        const isAsked = ({ type }: Event) => events.length === 0 || events.includes(type)
        if (port === undefined) {
          const show = (event: Event) => session.print(event, describe(session, event))
          return followEvents(session.client, terminal, (event) => isAsked(event) && show(event))
        }
        const url = `http://localhost:${port}/${path.replace(/^\/+/, "")}`
        await forwardEvents(session, terminal, url, isAsked)
      })
    const name = parent === program ? "edgepost" : "edgepost webhooks"
    withExamples(
      listen,
      `${name} listen`,
      `${name} listen --events email.bounced,contact.*`,
      `${name} listen 3000 --path /hooks/edgepost --json`,
    )
  }
}

function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new InvalidArgumentError("It must be the number of a port.")
}

/** `contact.*` is every type of contacts. */
function toTypes(text: string): string[] {
  return text.split(",").flatMap((asked) => {
    const types = EVENT_TYPES.filter(
      (type) => type === asked || (asked.endsWith(".*") && type.startsWith(asked.slice(0, -1))),
    )
    if (types.length > 0) return types
    throw new InvalidArgumentError(`"${asked}" is none of ${EVENT_TYPES.join(", ")}.`)
  })
}

interface EventData {
  email?: Email
  received?: ReceivedEmail
  contact?: { email: string }
  domain?: { name: string }
  campaign?: { name: string }
  sequence?: { name: string }
  run?: { contactId: string }
  stepKey?: string | null
}

function describe({ paint }: Session, { id, type, createdAt, data }: Event): string {
  const status = type.slice(type.indexOf(".") + 1)
  const about = aboutOf(data as EventData)
    .filter(Boolean)
    .join("  ")
  return `${createdAt}  ${paintStatus(paint, status, type.padEnd(20))}  ${clean(about)}  ${id}`
}

/** What an event is about. */
function aboutOf({ email, received, sequence, run, stepKey, ...data }: EventData) {
  if (email) return [describeRecipients(email), email.subject, email.id]
  if (received) return [received.from.email, received.subject, received.id]
  if (sequence) return [sequence.name, run?.contactId, stepKey]
  return [data.contact?.email ?? data.domain?.name ?? data.campaign?.name ?? "test"]
}

async function forwardEvents(
  session: Session,
  terminal: Terminal,
  url: string,
  isAsked: (event: Event) => boolean,
): Promise<void> {
  const secret = terminal.env.EDGEPOST_WEBHOOK_SECRET || newWebhookSecret()
  const sent = new Map<string, Event>()
  session.print({ url, secret }, `Secret  ${secret}\nURL     ${url}`)
  const send = async (event: Event) => {
    const outcome = await forward(url, secret, event)
    const { id, type } = event
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
  const take = async (event: Event) => {
    if (!isAsked(event)) return
    sent.set(event.id, event)
    const [oldest] = sent.keys()
    if (sent.size > REPLAYABLE) sent.delete(oldest!)
    await send(event)
  }
  await followEvents(session.client, terminal, take).finally(() => lines.close())
}
