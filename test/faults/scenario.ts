import { type EmailStatus, STATUS_RANK } from "../../src/worker/emails/contract.ts"
import { makeBook, makeCampaign } from "../support/campaign.ts"
import { sessionOf } from "../support/session.ts"
import { chooseNextDatabase } from "../support/spread/env.ts"
import type { Team } from "../support/team.ts"
import type { Action } from "./actions.ts"
import { moveContacts, optOut, prepareSegment, type SentCampaign } from "./audience.ts"
import { at, call } from "./calls.ts"
import { makeTeamHere } from "./homes.ts"
import { moveTeam } from "./moves.ts"
import { openReader, type Reader } from "./reader.ts"
import { imports, visits } from "./readers.ts"
import { type ChangedWebhooks, changeWebhooks } from "./webhook-changes.ts"
import type { World } from "./world.ts"

/** What each mailbox of the sandbox leads to. */
const ENDS: Record<string, EmailStatus> = {
  success: "delivered",
  ooto: "delivered",
  bounce: "bounced",
  softbounce: "bounced",
  suppressionlist: "bounced",
  complaint: "complained",
  notspam: "complained",
  delay: "delivered",
  stuck: "sent",
  reject: "failed",
  flaky: "delivered",
}
const MAILBOXES = Object.keys(ENDS)
const SEVERAL = ["success,ooto", "delay,bounce", "complaint,flaky"]
const CAMPAIGN_MAILBOXES = MAILBOXES.filter((mailbox) => mailbox !== "stuck")

/** The end of an email to these mailboxes: that of the highest rank. */
export const endOf = (mailboxes: string): EmailStatus =>
  mailboxes
    .split(",")
    .map((mailbox) => ENDS[mailbox] as EmailStatus)
    .reduce((a, b) => (STATUS_RANK[a] > STATUS_RANK[b] ? a : b))

const ONE_PAGE = 22
const SEVERAL_PAGES = 230

const EVENTS = ["sent", "delivered", "delayed", "bounced", "complained", "failed"].map(
  (type) => `email.${type}`,
)

export interface Member {
  team: Team
  /** `url` to the events that it subscribes to. */
  webhooks: Map<string, { id: string; events: string[] }>
  stream: Reader
  /** Ids of accepted emails, with the mailbox and what else is expected. */
  accepted: Map<string, Expected>
  campaigns: SentCampaign[]
  /** A book that files are imported to. */
  importedTo: string
  changed: ChangedWebhooks
}

export interface Expected {
  /** Or several, separated by commas. */
  mailbox: string
  notBefore: number
  isCancelled: boolean
  message: Pick<Input, "to" | "subject" | "text">
}

type Input = ReturnType<typeof inputOf>

/** Two teams with webhooks, readers and campaigns, before the first fault. Each may have its own database. */
export async function prepare(world: World): Promise<[Member, Member]> {
  const contacts = world.seed % 4 === 3 ? SEVERAL_PAGES : ONE_PAGE
  const first = await prepareTeam(world, contacts)
  first.campaigns.push(await prepareSegment(first.team))
  chooseNextDatabase()
  return [first, await prepareTeam(world, 6)]
}

export async function prepareTeam(world: World, contacts: number): Promise<Member> {
  const team = await makeTeamHere()
  const stream = await openReader(team.api.key)
  const webhooks: Member["webhooks"] = new Map()
  const subscriptions: [string, string[]][] = [
    [world.receivers.good(), [...EVENTS, "campaign.sent", "campaign.completed"]],
    [world.receivers.failing(), ["email.delivered", "email.bounced", "campaign.completed"]],
  ]
  for (const [url, events] of subscriptions) {
    const reply = await call(world, team, "POST", "/webhooks", { url, events })
    webhooks.set(url, { id: reply.body.id, events })
  }
  const addresses = Array.from({ length: contacts }, (_, index) =>
    at(
      index < ONE_PAGE
        ? (CAMPAIGN_MAILBOXES[index % CAMPAIGN_MAILBOXES.length] as string)
        : "success",
      `reader-${index}`,
    ),
  )
  const optedOut = [0, 1, 2].map((index) => at("success", `opted-out-${index}`))
  const campaignId = await makeCampaign(team, [...addresses, ...optedOut])
  await optOut(team, campaignId, optedOut)
  const toBook = {
    id: campaignId,
    isCancelled: false,
    always: addresses,
    maybe: [],
    left: new Map(),
  }
  const importedTo = await makeBook(team, [])
  const changed = {
    cookie: await sessionOf(team.id, "admin"),
    urls: new Set<string>(),
    secrets: new Map(),
  }
  return { team, webhooks, stream, accepted: new Map(), campaigns: [toBook], importedTo, changed }
}

/** What the key holders do while the faults happen, in the order of the seed. */
export function plan(world: World, [first, second]: [Member, Member]): Action[] {
  const singles = [
    ...[...MAILBOXES, ...SEVERAL].map((mailbox, index) =>
      send(world, first, mailbox, `single-${index}`),
    ),
    ...MAILBOXES.slice(0, 5).map((mailbox, index) => send(world, second, mailbox, `one-${index}`)),
    send(world, second, "success", "large", { text: incompressible(world) }),
  ]
  const scheduled = [8, 25, 70, 150].map((seconds, index) =>
    send(world, index % 2 ? first : second, "success", `later-${index}`, {}, seconds),
  )
  const cancelled = [0, 1, 2, 3].map((index) =>
    sendAndCancel(world, index % 2 ? first : second, `cancel-${index}`, index * 20),
  )
  return [
    ...singles,
    ...scheduled,
    ...cancelled,
    sendBatch(world, first, "batch", MAILBOXES),
    sendBatch(world, second, "batch", ["success", "flaky", "delay", "bounce"]),
    startCampaign(world, first),
    startCampaign(world, second, world.seed % 2 === 0),
    startCampaign(world, first, false, 1),
    ...moveContacts(world, first.team, first.campaigns[1] as SentCampaign),
    ...(world.hasMove ? [moveTeam(world, first, second)] : changeWebhooks(world, first)),
    ...[first, second].flatMap((member) => [...visits(world, member), ...imports(world, member)]),
  ]
    .map((action, index) => ({ action, rank: world.draw(`plan ${index}`) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ action }) => action)
}

const inputOf = (
  { team }: Member,
  mailbox: string,
  key: string,
  extra: { text?: string; scheduledAt?: string } = {},
) => ({
  from: `sender@${team.domain}`,
  to: mailbox.split(",").map((one) => at(one, key)),
  subject: key,
  text: "Hi",
  idempotencyKey: key,
  ...extra,
})

export function send(
  world: World,
  member: Member,
  mailbox: string,
  key: string,
  extra: { text?: string } = {},
  inSeconds = 0,
) {
  return async (): Promise<string> => {
    const notBefore = world.clock.now() + inSeconds * 1000
    const scheduled = inSeconds > 0 && { scheduledAt: new Date(notBefore).toISOString() }
    const input = inputOf(member, mailbox, key, { ...extra, ...scheduled })
    const { status, body } = await call(world, member.team, "POST", "/emails", input)
    accept(member, { status, body }, [{ mailbox, message: input }], notBefore)
    if (world.draw(`replay ${key}`) < 0.3) {
      const replay = await call(world, member.team, "POST", "/emails", input)
      if (replay.status !== 200 || replay.body.id !== body.id) {
        throw new Error(`A replay of ${key} answered ${replay.status} and ${replay.body.id}`)
      }
    }
    return body.id
  }
}

function sendBatch(world: World, member: Member, key: string, mailboxes: string[]): Action {
  return async () => {
    const inputs = mailboxes.map((mailbox, index) => inputOf(member, mailbox, `${key}-${index}`))
    // The first try may have been accepted without an answer.
    const notBefore = world.clock.now()
    const reply = await call(world, member.team, "POST", "/emails/batch", inputs)
    const sent = inputs.map((message, index) => ({ mailbox: mailboxes[index] ?? "", message }))
    accept(member, reply, sent, notBefore)
  }
}

function sendAndCancel(world: World, member: Member, key: string, inSeconds: number): Action {
  const sending = send(world, member, "success", key, {}, inSeconds)
  return async () => {
    const id = await sending()
    const reply = await call(world, member.team, "POST", `/emails/${id}/cancel`)
    const expected = member.accepted.get(id) as Expected
    expected.isCancelled = reply.status === 200
  }
}

export function startCampaign(
  world: World,
  member: Member,
  thenCancels = false,
  index = 0,
): Action {
  return async () => {
    const campaign = member.campaigns[index] as SentCampaign
    await call(world, member.team, "POST", `/campaigns/${campaign.id}/send`)
    if (!thenCancels) return
    const reply = await call(world, member.team, "POST", `/campaigns/${campaign.id}/cancel`)
    campaign.isCancelled = reply.status === 200
  }
}

function accept(
  { accepted }: Member,
  { status, body }: { status: number; body: { id?: string; data?: { id: string }[] } },
  sent: Pick<Expected, "mailbox" | "message">[],
  notBefore: number,
) {
  if (status >= 300) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`)
  const ids = body.data ? body.data.map(({ id }) => id) : [body.id as string]
  ids.forEach((id, index) => {
    if (accepted.has(id)) return
    accepted.set(id, { ...(sent[index] as (typeof sent)[0]), notBefore, isCancelled: false })
  })
}

/** Too large for a row, so that it goes to R2. */
export const incompressible = ({ draw }: World) =>
  Array.from({ length: 12_000 }, (_, index) => Math.floor(draw(`text ${index}`) * 2 ** 32)).join(
    " ",
  )
