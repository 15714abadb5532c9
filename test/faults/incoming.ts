import { env } from "cloudflare:workers"
import { chunk } from "../../src/lib/chunk.ts"
import { sha256Hex } from "../../src/lib/crypto.ts"
import { createMessageDigest } from "../../src/worker/received/taking/digest.ts"
import { makeInbox } from "../support/receiving.ts"
import type { Team } from "../support/team.ts"
import type { Action } from "./actions.ts"
import { ask, repeat } from "./calls.ts"
import { shuffled } from "./chance.ts"
import { makeTeamHere } from "./homes.ts"
import { incompressible } from "./scenario.ts"
import type { World } from "./world.ts"

const MESSAGES = Number(env.RECEIVED_MESSAGES) || 20
/** With more, the limit of an inbox would delay most of them. */
const MESSAGES_AN_INBOX = 500
/** They come in any order. An answer waits until the message that it answers is there. */
const MESSAGES_AT_ONCE = 100
const SENDER = "ada@example.com"
const LONGEST_WAIT_MS = 5 * 60_000
const TRIES = 500

export interface Incoming {
  to: string
  bytes: Uint8Array
  /** The service recognizes a repeat by it. */
  digest: string
  /** The index of the message that it answers. */
  answers: number | null
  isDeleted: boolean
}

export interface Receiving {
  team: Team
  messages: Incoming[]
  /** What a server was told that a second try might not have mended. */
  refused: string[]
}

/** Bytes of all kinds, bare line ends among them. */
async function messageOf(world: World, index: number, to: string): Promise<Incoming> {
  const answers = index % 4 === 3 ? index - 3 : null
  const bodies: (() => Uint8Array)[] = [
    () => new TextEncoder().encode(`Where is order ${index}?\r\n`),
    () => Uint8Array.from({ length: 700 }, (_, at) => (at * 7 + index) % 256),
    () => new TextEncoder().encode(`Line\nand\rline\r\n\n${index}`),
    () => new TextEncoder().encode(index % 8 === 3 ? incompressible(world) : `${index}`),
  ]
  const head = [
    `From: Ada <${SENDER}>`,
    `To: ${to}`,
    `Subject: Message ${index}`,
    `Message-ID: <m${index}@example.com>`,
    ...(answers === null ? [] : [`In-Reply-To: <m${answers}@example.com>`]),
    "",
    "",
  ].join("\r\n")
  const body = (bodies[index % bodies.length] as () => Uint8Array)()
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(new TextEncoder().encode(head))
  bytes.set(body, head.length)
  const digest = createMessageDigest()
  await digest.write(bytes)
  return {
    ...{ to, bytes, answers, isDeleted: false },
    digest: sha256Hex(`${to} ${await digest.end()}`),
  }
}

/** A team with inboxes and a webhook, before the first fault. */
export async function prepareReceiving(world: World): Promise<Receiving> {
  const team = await makeTeamHere()
  const inboxes: string[] = []
  for (let made = 0; made * MESSAGES_AN_INBOX < MESSAGES; made++)
    inboxes.push((await makeInbox(team, `support-${made}`)).address)
  await team.api.post("/webhooks", { url: world.receivers.good(), events: ["email.received"] })
  const messages = await Promise.all(
    Array.from({ length: MESSAGES }, (_, index) =>
      messageOf(world, index, inboxes[Math.floor(index / MESSAGES_AN_INBOX)] as string),
    ),
  )
  return { team, messages, refused: [] }
}

/** Servers hand messages in, by mail or over HTTP. Some lose the answer and come again. */
export function arrive(world: World, receiving: Receiving): Action[] {
  const { messages, refused, team } = receiving
  const arrivals = messages.map((message, index) => async () => {
    const { answers } = message
    const first = answers === null ? undefined : messages[answers]
    while (first && !first.isDeleted && !(await isThere(receiving, first)))
      await world.actions.sleep(5_000)
    const handIn = () =>
      index % 3 === 2 ? post(world, receiving, message) : mail(world, receiving, message)
    await handIn()
    if (index % 5 === 1) {
      const id = await idOf(world, receiving, message)
      await repeat(world, "a deletion", () => ask(world, team, "DELETE", `/received-emails/${id}`))
      message.isDeleted = true
    }
    if (world.draw(`message ${index} comes again`) < 0.6) await handIn()
  })
  const strangers = [0, 1].map((index) => async () => {
    const unknown = `nobody-${index}@${team.domain}`
    const message = messages[index] as Incoming
    const answer = await repeatedly(world, () => world.mail(SENDER, unknown, message.bytes))
    if (!answer.refused?.startsWith("550 5.1.1")) refused.push(`${unknown}: ${answer.refused}`)
  })
  const twice = async () => {
    const message = messages[0] as Incoming
    await Promise.all([
      mail(world, receiving, message),
      world.mail(SENDER, message.to, message.bytes),
    ])
  }
  const inOrder = chunk([...strangers, ...arrivals], MESSAGES_AT_ONCE).flatMap((part, index) =>
    shuffled(part, world.draw, `arrivals ${index}`),
  )
  return [...inOrder, twice]
}

async function mail(world: World, { refused }: Receiving, { to, bytes }: Incoming) {
  const answer = await repeatedly(world, () => world.mail(SENDER, to, bytes))
  if (answer.refused) refused.push(`${to}: ${answer.refused}`)
}

/** A server tries again for days. */
async function repeatedly<T>(world: World, once: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await once()
    if (answer) return answer
    await world.actions.sleep(Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** tries))
  }
  throw new Error("A message was never answered")
}

async function post(world: World, { team, refused }: Receiving, { to, bytes }: Incoming) {
  const query = new URLSearchParams({ to, from: SENDER })
  const headers = { authorization: `Bearer ${team.api.key}` }
  for (;;) {
    const { status } = await repeat(world, "a message", () =>
      world.request("POST", `/api/v1/received-emails?${query}`, { headers, body: bytes }),
    )
    if (status !== 429) {
      if (status >= 300) refused.push(`${to}: ${status}`)
      return
    }
    await world.actions.sleep(60_000)
  }
}

async function idOf(world: World, receiving: Receiving, message: Incoming): Promise<string> {
  for (;;) {
    const id = await isThere(receiving, message)
    if (id) return id
    await world.actions.sleep(5_000)
  }
}

/** The id of the message once it is worked off. */
const isThere = ({ team }: Receiving, { digest }: Incoming) =>
  env.DB.prepare(
    `select r.id from received_digests d
     join received_emails r on r.team_id = d.team_id and r.id = d.received_id
     where d.team_id = ? and d.digest = ? and r.parsed is not null`,
  )
    .bind(team.id, digest)
    .first<string>("id")
