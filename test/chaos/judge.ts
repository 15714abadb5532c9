import { mapLimit } from "../../src/lib/chunk.ts"
import { endOf } from "./addresses.ts"
import type { Journal } from "./journal.ts"
import type { Edgepost, Email } from "./packed-client.ts"
import type { Reader } from "./reader.ts"
import type { Receiver } from "./receiver.ts"

export interface Evidence {
  client: Edgepost
  journal: Journal
  receivers: readonly Receiver[]
  readers: readonly Reader[]
}

/** Events of these kinds go to the receivers. */
export const EVENTS = [
  "email.sent",
  "email.delivered",
  "email.delayed",
  "email.bounced",
  "email.complained",
  "email.failed",
  "campaign.sent",
  "campaign.completed",
] as const

const READS_AT_ONCE = 4

/** What the API says at the end. */
export interface Record {
  emails: (Email & { entries: { id: string; type: string }[] })[]
  /** The envelopes of the test inbox, by email. */
  inbox: Map<string, string[]>
  campaigns: { id: string; status: string; recipients: number }[]
}

export async function readRecord({ client, journal }: Evidence): Promise<Record> {
  const emails: Email[] = []
  for await (const email of client.emails.iterate({ limit: 100 })) emails.push(email)
  const messages = []
  for await (const message of client.sandbox.iterate({ limit: 100 })) messages.push(message)
  const byEmail = Map.groupBy(messages, ({ emailId }) => emailId)
  return {
    emails: await mapLimit(emails, READS_AT_ONCE, async (email) => ({
      ...email,
      entries: (await client.emails.get(email.id)).events,
    })),
    inbox: new Map(
      [...byEmail].map(([id, copies]) => [id, copies.map(({ envelope }) => envelope.to.join())]),
    ),
    campaigns: await mapLimit(journal.campaigns, READS_AT_ONCE, async ({ id }) => {
      const { status, counts } = await client.campaigns.get(id)
      return { id, status, recipients: counts.recipients }
    }),
  }
}

/** Whether nothing has to happen any more. */
export const isSettled = ({ readers }: Evidence, { emails, campaigns }: Record) =>
  emails.every(({ status }) => !["queued", "scheduled", "sending", "sent"].includes(status)) &&
  campaigns.every(({ status }) => status === "sent") &&
  readers.every((reader) => !reader.isBusy())

/** What is wrong, in words. */
export function findViolations(evidence: Evidence, record: Record): string[] {
  const { journal, receivers, readers } = evidence
  return [
    ...journal.violations,
    ...receivers.flatMap(({ violations }) => violations),
    ...readers.flatMap(({ violations }) => violations),
    ...judgeSends(evidence, record),
    ...judgeInbox(evidence, record),
    ...judgeCampaigns(evidence, record),
    ...receivers.flatMap((receiver) => judgeReceiver(receiver, evidence, record)),
    ...readers.flatMap((reader, index) => judgeReader(reader, index, record)),
  ]
}

/** Each key is one email, and the one that the caller was told of. */
function judgeSends({ journal }: Evidence, { emails }: Record): string[] {
  const byKey = Map.groupBy(emails, ({ tags }) => tags.chaos ?? "")
  return [...journal.sends].flatMap(([key, { id, to, isCancelled }]) => {
    const found = byKey.get(key) ?? []
    const wanted = isCancelled ? "cancelled" : endOf(to)
    return [
      ...(found.length === 1 && found[0]?.id === id
        ? []
        : [
            `${key} was answered with ${id}, and is ${found.map((one) => one.id).join() || "lost"}`,
          ]),
      ...found
        .filter(({ status }) => status !== wanted)
        .map((one) => `${one.id} to ${to} is ${one.status}, and not ${wanted}`),
    ]
  })
}

/** Each accepted email is once in the test inbox, except what was refused or cancelled. */
function judgeInbox({ journal }: Evidence, { emails, inbox }: Record): string[] {
  const known = new Set(emails.map(({ id }) => id))
  const ours = new Set([...journal.sends.values()].map(({ id }) => id))
  const isOurs = ({ id, campaignId }: Email) => ours.has(id) || campaignId !== null
  return [
    ...emails.filter(isOurs).flatMap(({ id, status, to, entries }) => {
      const copies = inbox.get(id) ?? []
      const wanted = ["failed", "cancelled"].includes(status) ? 0 : 1
      const accepted = entries.filter(({ type }) => type === "sent").length
      const isRight = copies.length === wanted && copies.every((one) => one === to.join())
      return [
        ...(isRight ? [] : [`${id} is ${status}, and ${copies.length} times in the inbox`]),
        ...(accepted === wanted ? [] : [`${id} is ${accepted} times "sent" on its timeline`]),
      ]
    }),
    ...[...inbox.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `${id} is in the inbox, and no email`),
  ]
}

function judgeCampaigns({ journal, receivers }: Evidence, { emails, campaigns }: Record) {
  return journal.campaigns.flatMap(({ id, addresses }) => {
    const campaign = campaigns.find((one) => one.id === id)
    const mailed = emails.filter(({ campaignId }) => campaignId === id)
    const told = new Set(mailed.flatMap(({ to }) => to))
    const missing = addresses.filter((address) => !told.has(address))
    const heard = receivers.flatMap((receiver) => {
      const events = receiver.heard.filter(
        ({ type, body }) => type.startsWith("campaign.") && body.includes(id),
      )
      return ["campaign.sent", "campaign.completed"]
        .map((type) => [
          type,
          new Set(events.filter((one) => one.type === type).map((one) => one.eventId)).size,
        ])
        .filter(([, count]) => count !== 1)
        .map(([type, count]) => `${type} of ${id} was told under ${count} ids`)
    })
    const isWhole = mailed.length === addresses.length && missing.length === 0
    return [
      ...(isWhole ? [] : [`${id} has ${mailed.length} emails, and missed ${missing.length}`]),
      ...(campaign?.recipients === mailed.length && campaign.status === "sent"
        ? []
        : [`${id} is ${campaign?.status} and counts ${campaign?.recipients} recipients`]),
      ...mailed
        .filter(({ to, status }) => status !== endOf(to[0] ?? ""))
        .map((one) => `${one.id} to ${one.to} is ${one.status}`),
      ...heard,
    ]
  })
}

/** Each timeline entry arrives at least once, under its own id, and always with the same body. */
function judgeReceiver({ heard, url }: Receiver, { journal }: Evidence, { emails }: Record) {
  const byEvent = Map.groupBy(heard, ({ eventId }) => eventId)
  const types: readonly string[] = EVENTS
  const entries = new Map(
    emails.flatMap(({ id, entries }) =>
      entries
        .filter(({ type }) => types.includes(`email.${type}`))
        .map((entry) => [entry.id, `email.${entry.type} of ${id}`] as const),
    ),
  )
  const ours = new Set([...journal.sends.values()].map(({ id }) => id))
  return [
    ...[...entries]
      .filter(([id]) => !byEvent.has(id))
      .map(([id, what]) => `${url} was never told ${what} (${id})`),
    ...heard
      .filter(({ emailId, eventId }) => emailId && ours.has(emailId) && !entries.has(eventId))
      .map(({ eventId }) => `${url} was told ${eventId}, which no timeline has`),
    ...[...byEvent]
      .filter(([, calls]) => new Set(calls.map(({ body }) => body)).size > 1)
      .map(([id]) => `${url} was told ${id} with different bodies`),
  ]
}

/** A page that follows the stream shows what the API says. */
const judgeReader = ({ statuses }: Reader, index: number, { emails }: Record) =>
  emails
    .filter(({ id, status }) => statuses.get(id) !== status)
    .map(
      ({ id, status }) => `Reader ${index + 1} shows ${id} as ${statuses.get(id)}, not ${status}`,
    )
