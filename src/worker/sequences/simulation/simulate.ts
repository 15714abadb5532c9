import { and, eq } from "drizzle-orm"
import { DAY_MS } from "../../../lib/time.ts"
import { renderSubject } from "../../campaigns/body.ts"
import { contactColumns, contacts } from "../../contacts/table.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import type { Condition } from "../../segments/filter.ts"
import { topics } from "../../topics/table.ts"
import { composeSteps, readSender } from "../compose.ts"
import {
  type Advance,
  advance,
  type Definition,
  nameOf,
  type RunContact,
  type Standing,
} from "../definition/advance.ts"
import { flowOf } from "../definition/flow.ts"
import { conditionsIn, definitionOf } from "../running/shared.ts"
import type { SequenceRow } from "../table.ts"
import { selectSequence, sequenceOrNotFound } from "../view.ts"
import type * as contract from "./contract.ts"
import type { Happening } from "./contract.ts"

type Input = InputOf<typeof contract.simulateSequence>["json"]
type Simulation = OutputOf<typeof contract.simulateSequence>
type Entry = Simulation["timeline"][number]

/** A life has no more moments than steps, changes of windows, and happenings together. */
const MOST_MOMENTS = 1_000

export async function simulateSequence(ctx: Ctx, id: string, input: Input): Promise<Simulation> {
  const [[found], chosen] = await ctx.batch([
    selectSequence(ctx, ctx.team, id),
    ctx.db.select().from(topics).where(eq(topics.teamId, ctx.team)),
  ])
  const stored = sequenceOrNotFound(found)
  const row = { ...stored, steps: input.steps ?? stored.steps }
  const contact = await readContact(ctx, row, input.contact)
  const bodies = await composeSteps(ctx, row, await readSender(ctx, row))
  const required = new Map(bodies.map((one) => [one.stepKey, one.required]))
  const definition = { ...definitionOf(row, required), isArchived: false }
  const byDefault = chosen.find((topic) => topic.id === row.topicId)?.default === "subscribed"
  return simulate(definition, contact, input, {
    wantsTopic: ({ topics }) => row.topicId === null || (topics[row.topicId] ?? byDefault),
  })
}

async function readContact(ctx: Ctx, row: SequenceRow, contact: Input["contact"]) {
  if (typeof contact !== "string") return { ...contact, id: "ct_simulated", createdAt: 0 }
  const [[found]] = await ctx.batch([
    ctx.db
      .select(contactColumns)
      .from(contacts)
      .where(
        and(
          eq(contacts.teamId, ctx.team),
          eq(contacts.bookId, row.bookId),
          eq(contacts.id, contact),
        ),
      ),
  ])
  return orNotFound(found, "Contact")
}

/** What has happened until a moment. */
interface Past {
  events: { name: string; at: number }[]
  mail: { stepKey: string; type: "sent" | "opened" | "clicked"; at: number }[]
}

/** The clock jumps from one moment to the next: `advance` decides at each of them, as it does live. */
export function simulate(
  definition: Definition,
  start: RunContact,
  { startAt, happenings }: Pick<Input, "startAt" | "happenings">,
  { wantsTopic }: { wantsTopic(contact: RunContact): boolean },
): Simulation {
  const timeline: Entry[] = []
  const past: Past = { events: [], mail: [] }
  const coming = happenings.toSorted((a, b) => a.at - b.at)
  let contact = start
  let standing: Standing = { stepKey: null, since: startAt }
  let waitsFor: string | null = null
  let dueAt = startAt
  for (let moments = 0; moments < MOST_MOMENTS; moments++) {
    const [happening] = coming
    const isHappening = happening !== undefined && happening.at <= dueAt
    const now = Math.max(startAt, isHappening ? happening.at : dueAt)
    if (isHappening) {
      coming.shift()
      contact = happen(happening, contact, past, now)
      if (now < dueAt && !wakes(happening, waitsFor, definition)) continue
    }
    const { since } = standing
    const moved = advance(
      definition,
      standing,
      {
        contact,
        wantsTopic: wantsTopic(contact),
        hasEvent: past.events.some(({ name, at }) => name === waitsFor && at > since),
        happened: happenedOf(definition, past, now),
        isSuppressed: false,
        hasReplied: false,
        cannotSend: null,
      },
      now,
    )
    contact = record(definition, moved, contact, past, now, timeline)
    const { next } = moved
    if (next.state === "done") return { timeline, endedBy: next.endedBy }
    if (next.state === "held") {
      const kind = flowOf(definition.steps).stepOf(next.stepKey)?.kind ?? ""
      timeline.push({ at: now, stepKey: next.stepKey, kind, subject: null, says: next.reason })
      return { timeline, endedBy: null }
    }
    standing = { stepKey: next.stepKey, since: next.since }
    ;({ dueAt, waitsFor } = next)
  }
  throw new Error("The simulation does not end")
}

/** A run is looked at before its time for what it waits for, and for what may end it. */
const wakes = (
  { event, set, unsubscribe }: Happening,
  waitsFor: string | null,
  { goal }: Definition,
) =>
  unsubscribe ||
  (event !== undefined && (event === waitsFor || goal !== null)) ||
  (set !== undefined && goal !== null)

function happen(
  { event, open, click, unsubscribe, set }: Happening,
  contact: RunContact,
  past: Past,
  at: number,
): RunContact {
  if (event !== undefined) past.events.push({ name: event, at })
  const isSent = past.mail.some(({ stepKey }) => stepKey === (open ?? click))
  if (open !== undefined && isSent) past.mail.push({ stepKey: open, type: "opened", at })
  if (click !== undefined && isSent) past.mail.push({ stepKey: click, type: "clicked", at })
  return {
    ...contact,
    ...(unsubscribe && { subscribed: false }),
    ...(set && { properties: { ...contact.properties, ...set.properties } }),
  }
}

/** As `readHappenings` finds it. */
function happenedOf(definition: Definition, past: Past, now: number): Map<string, boolean> {
  return new Map(conditionsIn(definition).map((one) => [nameOf(one), holds(one, past, now)]))
}

function holds(
  { activity, event, campaignId, count = 1, withinDays }: Condition,
  { events, mail }: Past,
  now: number,
): boolean {
  const since = withinDays === undefined ? 0 : now - withinDays * DAY_MS
  if (event !== undefined) {
    return events.filter(({ name, at }) => name === event && at >= since).length >= count
  }
  if (campaignId?.startsWith("cmp_")) return false
  const types = activity === "opened" ? ["opened", "clicked"] : [activity]
  return mail.some(({ type, at }) => types.includes(type) && at >= since)
}

/** Adds what was passed to the timeline, and answers the contact as it is afterwards. */
function record(
  { steps }: Definition,
  { passed, actions }: Advance,
  start: RunContact,
  past: Past,
  at: number,
  timeline: Entry[],
): RunContact {
  let contact = start
  for (const { stepKey, kind, outcome } of passed) {
    const action = actions.find((one) => one.stepKey === stepKey)
    if (action?.kind === "set") {
      contact = {
        ...contact,
        properties: { ...contact.properties, ...action.properties },
        topics: { ...contact.topics, ...action.topics },
      }
    }
    const step = flowOf(steps).stepOf(stepKey)
    const subject =
      action?.kind === "send" && step?.kind === "send"
        ? renderSubject(step.subject, contact, {})
        : null
    if (subject !== null) past.mail.push({ stepKey, type: "sent", at })
    timeline.push({ at, stepKey, kind, subject, says: wordsOf(outcome, subject) })
  }
  return contact
}

const SAYS: Record<Advance["passed"][number]["outcome"], string> = {
  waited: "The wait is over.",
  event: "The event has come.",
  timeout: "The event has not come in time.",
  sent: "Sends.",
  skipped: "Sends nothing: the contact does not want the topic.",
  case: "A case matches.",
  else: "No case matches.",
  part: "Takes a part.",
  set: "Changes the contact.",
  notified: "Tells webhooks.",
  ended: "Ends.",
}

const wordsOf = (outcome: keyof typeof SAYS, subject: string | null) =>
  subject === null ? SAYS[outcome] : `Sends '${subject}'.`
