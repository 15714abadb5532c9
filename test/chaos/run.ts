import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type DevServer, startDevServer } from "../system/dev-server.ts"
import { ENDS, type MailboxName } from "./addresses.ts"
import { createJournal } from "./journal.ts"
import {
  EVENTS,
  type Evidence,
  findViolations,
  isSettled,
  type Record,
  readRecord,
} from "./judge.ts"
import { type LoadOptions, startCampaign, startLoad } from "./load.ts"
import { installClient, type PackedClient } from "./packed-client.ts"
import { startReader } from "./reader.ts"
import { startReceiver } from "./receiver.ts"

export interface ChaosOptions {
  kills: number
  /** Of its own, or a free one. */
  port?: number
  /** A checkout of an earlier version, which runs until the first kill. */
  before?: string | undefined
  pace: Pace
  say?: (line: string) => void
}

export interface Pace {
  /** From the server's start to its end. */
  longestLifeMs: number
  /** The part of the kills after which the next one meets a server that is still starting. */
  whileStarting: number
  /** The part of the events whose first call one receiver fails. */
  failedCalls: number
  mailboxes: MailboxName[]
}

export const LONG: Pace = {
  longestLifeMs: 4_000,
  whileStarting: 0.2,
  failedCalls: 0.03,
  mailboxes: Object.keys(ENDS) as MailboxName[],
}
/** Nothing waits for a minute. */
export const SHORT: Pace = {
  longestLifeMs: 1_000,
  whileStarting: 1,
  failedCalls: 0,
  mailboxes: ["success", "delay", "bounce", "softbounce", "complaint", "reject"],
}

const HERE = "."
const SHORTEST_LIFE_MS = 300
/** A receiver is asked again after a minute, an email sent again after 30 and 60 seconds. */
const SETTLES_WITHIN_MS = 300_000

/** Kills the service again and again while it is used, and compares what its users know with the API. */
export async function runChaos({ kills, port, before, pace, say = () => {} }: ChaosOptions) {
  const begunAt = Date.now()
  const project = mkdtempSync(join(tmpdir(), "edgepost-chaos-"))
  const server = await startDevServer({
    ...(port && { port }),
    ...(before && { checkout: resolve(before) }),
  })
  const closing: (() => unknown)[] = []
  try {
    const packed = await installClient(project, server.credentials.baseUrl)
    const { load, evidence } = await prepare(server, packed, pace)
    closing.push(...evidence.receivers.map(({ close }) => close))
    const loading = startLoad(load)
    await untilRead(evidence)
    await startCampaign(load)
    const killed = await killOften(server, kills, pace, say)
    await loading.stop()
    say("The callers have ended. Waiting for what is under way ...")
    const record = await settle(server, evidence)
    for (const reader of evidence.readers) await reader.close()
    const violations = findViolations(evidence, record)
    const seconds = Math.round((Date.now() - begunAt) / 1000)
    return { figures: { ...killed, ...figuresOf(evidence, record), seconds }, violations }
  } finally {
    for (const close of closing) close()
    await server.dispose()
    rmSync(project, { recursive: true, force: true })
  }
}

async function prepare({ credentials }: DevServer, packed: PackedClient, pace: Pace) {
  const { apiKey, baseUrl } = credentials
  const client = new packed.Edgepost({ apiKey, baseUrl })
  const receivers = [
    await startReceiver(packed, () => false),
    await startReceiver(packed, () => Math.random() < pace.failedCalls),
  ]
  for (const receiver of receivers) {
    const { secret } = await client.webhooks.create({ url: receiver.url, events: [...EVENTS] })
    receiver.setSecret(secret)
  }
  const readers = [
    startReader(client, () => false),
    startReader(client, () => Math.random() < 0.02),
  ]
  await Promise.all(readers.map(({ connected }) => connected))
  const journal = createJournal()
  const { mailboxes } = pace
  const load: LoadOptions = { client, packed, journal, random: Math.random, mailboxes }
  const evidence: Evidence = { client, journal, receivers, readers }
  return { load, evidence }
}

/** A reader without a last id has nothing to go on from. */
async function untilRead({ readers }: Evidence): Promise<void> {
  while (readers.some(({ figures }) => figures().changes === 0)) await sleep(20)
}

/** Ends the whole process group at any time, also while it starts. */
async function killOften(
  server: DevServer,
  kills: number,
  { longestLifeMs, whileStarting }: Pace,
  say: (line: string) => void,
) {
  let killsWhileStarting = 0
  let startMs = SHORTEST_LIFE_MS
  for (let killed = 0; killed < kills; ) {
    await sleep(SHORTEST_LIFE_MS + Math.random() * longestLifeMs)
    await server.kill()
    killed++
    if (killed < kills && Math.random() < whileStarting) {
      await killWhileStarting(server, Math.random() * startMs)
      killed++
      killsWhileStarting++
    }
    const begunAt = Date.now()
    await server.start(HERE)
    startMs = Date.now() - begunAt
    say(`Killed ${killed} of ${kills} times. Back after ${startMs} ms.`)
  }
  return { kills, killsWhileStarting }
}

async function killWhileStarting(server: DevServer, afterMs: number): Promise<void> {
  const starting = server.start(HERE).catch(() => {})
  await sleep(afterMs)
  await server.kill()
  await starting
}

/** The minute's work, each second, until nothing is left to do. */
async function settle(server: DevServer, evidence: Evidence): Promise<Record> {
  const until = Date.now() + SETTLES_WITHIN_MS
  for (;;) {
    await server.call("GET", "/cdn-cgi/handler/scheduled")
    const record = await readRecord(evidence)
    const isDone = isSettled(evidence, record) && findViolations(evidence, record).length === 0
    if (isDone || Date.now() > until) return record
    await sleep(1_000)
  }
}

function figuresOf({ journal, receivers, readers }: Evidence, { emails, inbox }: Record) {
  const sends = [...journal.sends.values()]
  const heard = receivers.flatMap((receiver) => receiver.heard)
  const distinct = receivers.map((one) => new Set(one.heard.map(({ eventId }) => eventId)).size)
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
  const streams = readers.map(({ figures }) => figures())
  return {
    emailsAccepted: sends.filter(({ id }) => id !== undefined).length,
    emailsOfCampaigns: emails.filter(({ campaignId }) => campaignId !== null).length,
    emailsInInbox: inbox.size,
    callsUnanswered: journal.unanswered,
    sendsUnansweredAndRepeated: sends.filter(({ unanswered }) => unanswered > 0).length,
    sendsAnsweredAndRepeated: journal.repeated,
    eventsHeard: sum(distinct),
    eventsHeardAgain: heard.length - sum(distinct),
    eventsRefusedByReceivers: sum(receivers.map(({ failed }) => failed.size)),
    changesRead: sum(streams.map(({ changes }) => changes)),
    streamConnections: sum(streams.map(({ connections }) => connections)),
    streamResets: sum(streams.map(({ resets }) => resets)),
  }
}
