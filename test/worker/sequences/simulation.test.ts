import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { DAY_MS, MINUTE_MS } from "../../../src/lib/time.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { sendEvents } from "../../../src/worker/contact-events/send.ts"
import { updateContact } from "../../../src/worker/contacts/contacts.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { sweepSequences } from "../../../src/worker/sequences/running/sweep.ts"
import { makeStage } from "../../support/sequence.ts"

/** Each seed makes a sequence and a life. The nightly has more of them. */
const LIVES_A_TEST = 10
const FIRST_SEEDS = Array.from(
  { length: Number(env.SEQUENCE_LIVES || LIVES_A_TEST) / LIVES_A_TEST },
  (_, index) => 1 + index * LIVES_A_TEST,
)
const LIFE_DAYS = 20
const EVENTS = ["paid", "called"]
const PLANS = ["free", "pro"]

function randomOf(seed: number) {
  let state = seed * 2_654_435_761
  const next = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
  return { next, of: <T>(list: readonly T[]) => list[next(list.length)] as T }
}
type Random = ReturnType<typeof randomOf>

const filterOf = (random: Random) => ({
  all: [
    random.of<object>([
      { field: "properties.plan", op: "is", value: random.of(PLANS) },
      { event: random.of(EVENTS), count: 1 + random.next(2) },
      { event: random.of(EVENTS), withinDays: 2, not: true },
      { activity: "opened" },
    ]),
  ],
})

function makeSteps(random: Random, keys: string[], depth: number): object[] {
  const inner = () => (depth > 1 ? makeSteps(random, keys, depth - 1) : [])
  return Array.from({ length: 1 + random.next(4) }, () => {
    const key = `s${keys.length}`
    keys.push(key)
    return random.of([
      () => ({ key, kind: "wait", for: random.of(["7m", "5h", "2d"]) }),
      () => ({
        key,
        kind: "wait",
        until: { time: "09:30", ...random.of([{}, { days: ["tue"] }]) },
      }),
      () => ({
        ...{ key, kind: "waitFor", event: random.of(EVENTS), timeout: random.of(["40m", "3d"]) },
        ...{ [`${"th"}en`]: inner(), else: inner() },
      }),
      () => ({
        ...{ key, kind: "send", subject: `${key} {{ properties.plan }}` },
        blocks: [{ kind: "text", html: "Hi" }],
      }),
      () => ({
        ...{ key, kind: "branch", cases: [{ filter: filterOf(random), steps: inner() }] },
        else: inner(),
      }),
      () => ({ key, kind: "split", parts: [1, 3].map((weight) => ({ weight, steps: inner() })) }),
      () => ({ key, kind: "set", properties: { plan: random.of(PLANS) } }),
      () => ({ key, kind: "notify" }),
    ])()
  })
}

function makeSequence(random: Random, keys: string[]) {
  const window = { from: "08:00", until: "17:30", zone: random.of(["contact", "Asia/Tokyo"]) }
  return {
    steps: makeSteps(random, keys, 3),
    window: random.of([null, window]),
    goal: random.of([null, null, filterOf(random)]),
  }
}

/** Each at another time, and never in the same minute as the clock's start. */
function makeLife(random: Random, startAt: number, keys: readonly string[]) {
  return Array.from({ length: random.next(12) }, (_, index) => ({
    at: startAt + (1 + random.next(LIFE_DAYS * 24 * 60)) * MINUTE_MS + 1_000 + index,
    ...random.of<Happening>([
      { event: random.of(EVENTS) },
      { event: random.of(EVENTS) },
      { set: { properties: { plan: random.of(PLANS) } } },
      { open: random.of(keys) },
      random.next(3) === 0 ? { unsubscribe: true } : { event: random.of(EVENTS) },
    ]),
  })).toSorted((a, b) => a.at - b.at)
}
interface Happening {
  event?: string
  set?: { properties: { plan: string } }
  open?: string
  unsubscribe?: true
}

type Stage = Awaited<ReturnType<typeof makeStage>>

/** What a person does, in the life of a contact. */
async function happen(stage: Stage, contactId: string, sequenceId: string, one: Happening) {
  const { team, driver, bookId } = stage
  const ctx = createKeyCtx(driver.work, sha256Hex(team.api.key), "full")
  if (one.event) await sendEvents(ctx, { name: one.event, contactId, properties: {} })
  if (one.set) {
    const { body } = await team.api.get(`/contact-books/${bookId}/contacts/${contactId}`)
    const properties = { ...body.properties, ...one.set.properties }
    await updateContact(ctx, bookId, contactId, { properties })
  }
  if (one.unsubscribe) await updateContact(ctx, bookId, contactId, { subscribed: false })
  if (one.open) {
    const { history } = await stage.runOf(sequenceId, contactId)
    const mail = history.findLast(
      ({ stepKey, emailId }: { stepKey: string; emailId: string | null }) =>
        stepKey === one.open && emailId,
    )
    const at = driver.clock.now()
    if (mail) {
      const ref = { teamId: team.id, emailId: mail.emailId }
      await recordEvents(driver.work, [reportOf(ref, "opened", at)])
    }
  }
}

it.each(FIRST_SEEDS)(
  "simulations from seed %s on are what happens, step for step and minute for minute",
  async (first) => {
    const stage = await makeStage()
    const { team, driver } = stage
    const startAt = driver.clock.now() + DAY_MS
    const lives = []
    for (let seed = first; seed < first + LIVES_A_TEST; seed++) {
      const random = randomOf(seed)
      const keys: string[] = []
      const id = await stage.addSequence({ ...makeSequence(random, keys), name: `Seed ${seed}` })
      const properties = { plan: random.of(PLANS), timezone: "America/New_York" }
      const contactId = await stage.addContact(`life${seed}@example.com`, { properties })
      const life = makeLife(random, startAt, keys)
      const asked = { contact: contactId, startAt: timeOf(startAt) }
      const happenings = life.map((one) => ({ ...one, at: timeOf(one.at) }))
      const simulated = await team.api.post(`/sequences/${id}/simulate`, { ...asked, happenings })
      await env.DB.prepare(
        `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, since, state, due_at, started_at)
       values (?1, ?2, ?3, ?4, 1, ?5, 'waiting', ?5, ?5)`,
      )
        .bind(team.id, id.replace("sqn_", "run_"), id, contactId, startAt)
        .run()
      lives.push({ seed, id, contactId, life, simulated: simulated.body })
    }
    for (;;) {
      const due = await env.DB.prepare(
        "select min(due_at) from sequence_runs where team_id = ? and due_at is not null",
      )
        .bind(team.id)
        .first<number>("min(due_at)")
      if (due === null) break
      const next = Math.min(due, ...lives.flatMap(({ life }) => life[0]?.at ?? []))
      driver.clock.advance(Math.max(0, next - driver.clock.now()))
      for (const { id, contactId, life } of lives) {
        while (life[0] && life[0].at <= driver.clock.now())
          await happen(stage, contactId, id, life.shift() as Happening)
      }
      await sweepSequences(driver.work)
      await driver.drain()
    }
    for (const { seed, id, contactId, simulated } of lives) {
      const { history, endedBy } = await stage.runOf(id, contactId)
      const mails = await stage.mailOf(id)
      type Passed = { stepKey: string; at: string; subject?: string | null }
      const shown = ({ stepKey, at }: Passed) => `${stepKey} ${at}`
      expect({
        seed,
        endedBy: simulated.endedBy,
        passed: simulated.timeline.map(shown),
        // Mail of one moment has no order.
        subjects: simulated.timeline.flatMap(({ subject }: Passed) => subject ?? []).toSorted(),
      }).toEqual({
        seed,
        endedBy,
        passed: history.map(shown),
        subjects: mails.map(({ subject }) => subject).toSorted(),
      })
    }
  },
)

const timeOf = (at: number) => new Date(at).toISOString()
