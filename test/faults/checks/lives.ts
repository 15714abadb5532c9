import { allSteps } from "../../../src/worker/sequences/definition/steps-contract.ts"
import type { Lives, Person, Way } from "../lives.ts"
import type { World } from "../world.ts"
import { excuseOf } from "./handovers.ts"
import { type Row, rows } from "./rows.ts"

/** How a run may end early, by what its person did. */
const ENDS: Partial<Record<Way, string>> = {
  unsubscribes: "unsubscribed",
  "is unsubscribed": "unsubscribed",
  "is suppressed": "suppressed",
  "is deleted": "deleted",
  replies: "reply",
}

interface Passed {
  stepKey: string
  outcome: string
  emailId: string | null
}

interface Run {
  id: string
  sequenceId: string
  person: Person
  endedBy: string
  history: Passed[]
}

/** Each step once, and no mail to somebody who had said no. */
export async function checkLives(world: World, lives: Lives): Promise<string[]> {
  const { team, people } = lives
  const byId = new Map(people.map((person) => [person.id, person]))
  const found = await rows("select * from sequence_runs where team_id = ?", team.id)
  const runs = found.map(
    (row): Run => ({
      ...{ id: row.id, sequenceId: row.sequence_id, endedBy: row.ended_by },
      person: byId.get(row.contact_id) as Person,
      history: JSON.parse(row.history),
    }),
  )
  const emails = new Map(
    (await rows("select * from emails where team_id = ?", team.id)).map((one) => [one.id, one]),
  )
  const handed = new Set(world.handedOver())
  const checks = await Promise.all([
    checkEvents(lives, runs),
    ...[lives.letters, lives.greetings].map((id) => checkCounts(id, runs)),
  ])
  return [
    ...found.flatMap(({ id, state }) => (state === "done" ? [] : [`${id} is ${state}`])),
    ...checkEntries(lives, runs),
    ...runs.flatMap((run) => checkSteps(lives, run)),
    ...checkMail(runs, emails),
    ...checkHanded(world, runs, emails, handed),
    ...checkNoes(world, lives, emails),
    ...checks.flat(),
  ]
}

function checkEntries({ people, letters, greetings }: Lives, runs: readonly Run[]): string[] {
  const counted = Map.groupBy(runs, ({ person, sequenceId }) => `${person.id} ${sequenceId}`)
  return people.flatMap((person) => {
    const count = (id: string) => counted.get(`${person.id} ${id}`)?.length ?? 0
    return [
      ...(count(letters) === 1 ? [] : [`${person.address} has ${count(letters)} runs`]),
      ...(count(greetings) <= person.visits && (count(greetings) > 0 || ENDS[person.way])
        ? []
        : [`${person.address} has ${count(greetings)} greetings for ${person.visits} visits`]),
    ]
  })
}

/** The keys that a whole run passes. A run that ends early passes the first of them. */
function wayThrough({ letters }: Lives, { sequenceId, history, person }: Run): string[] {
  if (sequenceId !== letters) return ["greeting", "rest", "seen"]
  const isPaid = history.some(({ outcome }) => outcome === "event")
  const branch = isPaid && person.way === "pays" ? ["thanks"] : ["tell", "remind"]
  return ["hello", "a-minute", "mark", "payment", ...branch, "another", "bye"]
}

function checkSteps(lives: Lives, run: Run): string[] {
  const passed = run.history.map(({ stepKey }) => stepKey)
  const whole = wayThrough(lives, run)
  const isWhole = run.endedBy === "finished"
  const expected = isWhole ? whole : whole.slice(0, passed.length)
  const mayEnd = ["finished", ENDS[run.person.way]]
  const who = `${run.id} of ${run.person.address}`
  return [
    ...(passed.join() === expected.join() ? [] : [`${who} passed twice or not at all: ${passed}`]),
    ...(mayEnd.includes(run.endedBy) ? [] : [`${who} ended by ${run.endedBy}`]),
  ]
}

type Emails = ReadonlyMap<string, Row>

/** Each step that sent has its email, and there is no other. */
function checkMail(runs: readonly Run[], emails: Emails): string[] {
  const told = runs.flatMap(({ history }) => history.flatMap(({ emailId }) => emailId ?? []))
  const known = new Set(told)
  return [
    ...told.filter((id) => !emails.has(id)).map((id) => `${id} is lost`),
    ...[...emails.keys()].filter((id) => !known.has(id)).map((id) => `${id} is of its own`),
    ...(known.size === told.length ? [] : ["a step twice has one email"]),
  ]
}

/** Who said nothing gets each email. */
function checkHanded(
  { journal }: World,
  runs: readonly Run[],
  emails: Emails,
  handed: ReadonlySet<string>,
) {
  const recorded = new Set(
    journal.handovers.filter((one) => !excuseOf(one)).map(({ emailId }) => emailId),
  )
  return runs.flatMap(({ history, person }) => {
    const isQuiet = person.saidNoAt === Number.POSITIVE_INFINITY
    return history.flatMap(({ emailId, stepKey }) => {
      if (emailId === null) return []
      const status = emails.get(emailId)?.status
      const isLost = isQuiet && (status !== "delivered" || !handed.has(emailId))
      const isWrong = recorded.has(emailId) && status !== "delivered"
      return isLost || isWrong ? [`${stepKey} to ${person.address} is lost: ${status}`] : []
    })
  })
}

/** Consumers that began after a no was stored, or while the sequence was paused, hand over none of its mail. */
function checkNoes(world: World, { people, letters, paused }: Lives, emails: Emails) {
  const byAddress = new Map(people.map((person) => [person.address, person]))
  return world.journal.handovers.flatMap(({ emailId, invocation: { number, label } }) => {
    const { recipients = "[{}]", campaign_id } = emails.get(emailId) ?? {}
    const [{ address }] = JSON.parse(recipients)
    const person = byAddress.get(address)
    const isOfLetters = campaign_id === letters
    const isAbout = isOfLetters || !["wants no topic", "replies"].includes(person?.way ?? "")
    const saidNoAt = person && isAbout ? person.saidNoAt : Number.POSITIVE_INFINITY
    return [
      ...(number > saidNoAt ? [`${emailId} went to ${address} after a no: ${label}`] : []),
      ...(isOfLetters && number > paused.from && number <= paused.to
        ? [`${emailId} went out of a paused sequence: ${label}`]
        : []),
    ]
  })
}

/** Each start, end and notice of a run is told once. */
async function checkEvents({ team }: Lives, runs: readonly Run[]): Promise<string[]> {
  const events = await rows(
    `select type, data ->> '$.run.id' as run from events where team_id = ? and type like 'sequence.%'`,
    team.id,
  )
  const told = events.map(({ type, run }) => `${run} ${type}`).toSorted()
  const expected = runs
    .flatMap(({ id, history }) => [
      `${id} sequence.started`,
      `${id} sequence.finished`,
      ...history.flatMap(({ outcome }) =>
        outcome === "notified" ? [`${id} sequence.reached`] : [],
      ),
    ])
    .toSorted()
  return told.join() === expected.join()
    ? []
    : [`no event, or one twice: told ${told.length}, expected ${expected.length}`]
}

async function checkCounts(id: string, all: readonly Run[]) {
  const runs = all.filter(({ sequenceId }) => sequenceId === id)
  const [sequence] = await rows("select * from sequences where id = ?", id)
  const steps = await rows("select * from sequence_steps where sequence_id = ?", id)
  const finished = runs.filter(({ endedBy }) => endedBy === "finished").length
  const counted = [sequence?.entered, sequence?.finished, sequence?.ended].join()
  const expected = [runs.length, finished, runs.length - finished].join()
  const passed = (key: string) =>
    runs.filter(({ history }) => history.some(({ stepKey }) => stepKey === key)).length
  const log = await rows(
    `select v.type, e.sequence_step ->> '$.stepKey' as key, count(distinct e.id) as mails
     from emails e join email_events v on v.team_id = e.team_id and v.email_id = e.id
     where e.campaign_id = ? group by 1, 2`,
    id,
  )
  const logged = (type: string, of: string) =>
    log.find((row) => row.type === type && row.key === of)?.mails ?? 0
  return [
    ...(counted === expected ? [] : [`${id} counts ${counted}, it has ${expected}`]),
    ...allSteps(JSON.parse(sequence?.steps)).flatMap(({ key }) => {
      const row = steps.find(({ step_key }) => step_key === key) ?? {}
      const { entered = 0, waiting = 0, ended = 0, sent = 0, delivered = 0 } = row
      const isRight =
        entered - ended === passed(key) &&
        waiting === 0 &&
        sent === logged("sent", key) &&
        delivered === logged("delivered", key)
      return isRight
        ? []
        : [`${id} counts ${JSON.stringify(row)} for ${key}: ${passed(key)} passed`]
    }),
  ]
}
