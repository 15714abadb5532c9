import type { QueueMessage } from "../../src/worker/consume.ts"
import { type Draw, shuffled } from "./chance.ts"
import type { Invocation } from "./invocation.ts"

/** As in wrangler.toml. */
const CONSUMERS = {
  SENDS: { queue: "edgepost-sends", batch: 100, retries: 5, delaySeconds: 10 },
  SENDS_BACKLOG: { queue: "edgepost-sends-backlog", batch: 1, retries: 5, delaySeconds: 10 },
  SENDS_BULK: { queue: "edgepost-sends-bulk", batch: 1, retries: 5, delaySeconds: 10 },
  OUTCOMES: { queue: "edgepost-outcomes", batch: 100, retries: 100, delaySeconds: 10 },
  DELIVERIES: { queue: "edgepost-deliveries", batch: 5, retries: 5, delaySeconds: 10 },
  CAMPAIGNS: { queue: "edgepost-campaigns", batch: 1, retries: 5, delaySeconds: 10 },
  RECEIVED: { queue: "edgepost-received", batch: 10, retries: 5, delaySeconds: 10 },
  MINUTES: { queue: "edgepost-minutes", batch: 1, retries: 0, delaySeconds: 10 },
  DEAD_LETTERS: { queue: "edgepost-dead-letters", batch: 100, retries: 100, delaySeconds: 60 },
} as const

export type QueueName = keyof typeof CONSUMERS
export const QUEUE_NAMES = Object.keys(CONSUMERS) as QueueName[]

/** How often a message is dropped, comes twice, or comes late. */
export interface QueueRates {
  dropped: number
  doubled: number
  late: number
}

const LATE_MS = 40_000

interface Waiting {
  label: string
  body: QueueMessage
  dueAt: number
  attempts: number
}

/** Messages that a consumer has, until it has answered for them. */
export interface Taken {
  batch: MessageBatch<QueueMessage>
  /** It goes on with moves of teams. */
  isMove: boolean
  /** The handler has ended: what it asked to have again comes again. */
  end(): void
  /** As after an exception, or when the process died. */
  giveBack(): void
}

interface Surroundings {
  draw: Draw
  now(): number
  /** Null once the faults have stopped. */
  rates(): QueueRates | null
  note(line: string): void
  /** A queue that holds the only copy: a message that it took is not lost. */
  keeps?: QueueName | undefined
}

export type FaultyQueues = ReturnType<typeof createQueues>

export function createQueues({ draw, now, rates, note, keeps }: Surroundings) {
  const waiting = Object.fromEntries(QUEUE_NAMES.map((name) => [name, [] as Waiting[]])) as Record<
    QueueName,
    Waiting[]
  >
  const deadLettered: string[] = []
  const lostReports = new Set<string>()
  const takes = new Map<QueueName, number>()

  function put(name: QueueName, label: string, body: QueueMessage, delaySeconds = 0) {
    const chances = rates()
    const happens = (what: keyof QueueRates) =>
      chances !== null && draw(`${label} ${what}`) < chances[what]
    if (name !== keeps && happens("dropped")) {
      for (const { emailId, type } of "events" in body ? body.events : [])
        lostReports.add(`${emailId} ${type}`)
      return note(`${label} is dropped`)
    }
    const copies = happens("doubled") ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      const lateMs = happens("late") ? draw(`${label} late ${copy}`) * LATE_MS : 0
      const dueAt = now() + delaySeconds * 1000 + Math.round(lateMs)
      waiting[name].push({ label, body: structuredClone(body), dueAt, attempts: 0 })
    }
  }

  function giveBack(
    name: QueueName,
    members: readonly Waiting[],
    after = new Map<Waiting, QueueRetryOptions>(),
  ) {
    const { retries } = CONSUMERS[name]
    for (const member of members) {
      const { delaySeconds = CONSUMERS[name].delaySeconds } = after.get(member) ?? {}
      const attempts = member.attempts + 1
      if (attempts <= retries) {
        waiting[name].push({ ...member, attempts, dueAt: now() + delaySeconds * 1000 })
      } else if (name === "OUTCOMES") {
        note(`${member.label} becomes a dead letter`)
        const { replayed: _, ...body } = member.body as QueueMessage & { replayed?: true }
        deadLettered.push(JSON.stringify(body))
        waiting.DEAD_LETTERS.push({ ...member, attempts: 0, dueAt: now() })
      } else {
        note(`${member.label} is given up`)
      }
    }
  }

  return {
    /** The bodies of the messages that the queues gave up on. */
    deadLettered,
    /** The id of an email, and the type of a report on it that a queue has lost. */
    lostReports: lostReports as ReadonlySet<string>,

    producer(name: QueueName, invocation: Invocation): Queue {
      let messages = 0
      const send = async (batch: Iterable<MessageSendRequest<QueueMessage>>) => {
        for (const { body, delaySeconds } of batch) {
          put(name, `${invocation.number}'s ${name} ${++messages}`, body, delaySeconds)
        }
      }
      return {
        send: (body: QueueMessage, options?: QueueSendOptions) =>
          invocation.call(`${name} send`, () => send([{ body, ...options }])),
        sendBatch: (batch: Iterable<MessageSendRequest<QueueMessage>>) =>
          invocation.call(`${name} send`, () => send(batch)),
      } as unknown as Queue
    },

    /** Some of what is due, in any order; null when nothing is. */
    take(name: QueueName): Taken | null {
      const due = waiting[name]
        .filter(({ dueAt }) => dueAt <= now())
        .sort((a, b) => (a.label < b.label ? -1 : 1))
      if (due.length === 0) return null
      const { queue, batch } = CONSUMERS[name]
      const take = `${name} ${(takes.get(name) ?? 0) + 1}`
      takes.set(name, (takes.get(name) ?? 0) + 1)
      const size = rates() ? 1 + Math.floor(draw(`take ${take}`) * batch) : batch
      const members = shuffled(due, draw, `order ${take}`).slice(0, size)
      waiting[name] = waiting[name].filter((one) => !members.includes(one))
      const again = new Map<Waiting, QueueRetryOptions>()
      const acknowledged = new Set<Waiting>()
      const messages = members.map((member) => ({
        id: member.label,
        body: member.body,
        attempts: member.attempts + 1,
        timestamp: new Date(now()),
        ack: () => void acknowledged.add(member),
        retry: (options: QueueRetryOptions = {}) => void again.set(member, options),
      }))
      return {
        batch: { queue, messages } as unknown as MessageBatch<QueueMessage>,
        isMove: members.some(({ body }) => "moves" in body),
        end: () => giveBack(name, [...again.keys()], again),
        giveBack: () =>
          giveBack(
            name,
            members.filter((member) => !acknowledged.has(member)),
            again,
          ),
      }
    },

    nextDueAt: (names: readonly QueueName[] = QUEUE_NAMES) =>
      Math.min(...names.flatMap((name) => waiting[name].map(({ dueAt }) => dueAt))),
    isEmpty: () => QUEUE_NAMES.every((name) => waiting[name].length === 0),
  }
}
