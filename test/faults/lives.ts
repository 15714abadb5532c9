import { env } from "cloudflare:workers"
import { chunk } from "../../src/lib/chunk.ts"
import { newId } from "../../src/lib/id.ts"
import { makeInbox, messageTo } from "../support/receiving.ts"
import { send, sequenceInput, wait } from "../support/sequence.ts"
import type { Team } from "../support/team.ts"
import type { Action } from "./actions.ts"
import { ask, at, call, repeat } from "./calls.ts"
import { shuffled } from "./chance.ts"
import { makeTeamHere } from "./homes.ts"
import type { World } from "./world.ts"

const WAYS = [
  "stays",
  "pays",
  "unsubscribes",
  "is unsubscribed",
  "is suppressed",
  "is deleted",
  "wants no topic",
  "replies",
] as const
export type Way = (typeof WAYS)[number]
const PEOPLE_A_WAY = 3
/** Further people, who never unsubscribe or reply. Each visits as often as the others. */
const CROWD = Number(env.SEQUENCE_CROWD)
const VISITS = 3
/** As many as one call starts, and as many events as one call stores. */
const STARTED_AT_ONCE = 1_000
const EVENTS_AT_ONCE = 100
const ADDED_AT_ONCE = 5_000

export interface Person {
  id: string
  address: string
  way: Way
  /** The latest invocation that had begun when the no of the person was stored. */
  saidNoAt: number
  visits: number
}

export interface Lives {
  team: Team
  people: Person[]
  bookId: string
  topicId: string
  inbox: string
  /** Everybody enters once. */
  letters: string
  /** Everybody enters again with each visit. */
  greetings: string
  /** No mail of `letters` is sent by an invocation that began between these. */
  paused: { from: number; to: number }
}

const STEPS = [
  send("hello"),
  wait("a-minute", "1m"),
  { key: "mark", kind: "set", properties: { greeted: "yes" } },
  {
    ...{ key: "payment", kind: "waitFor", event: "paid", timeout: "2m" },
    ...{ [`${"th"}en`]: [send("thanks")] },
    else: [{ key: "tell", kind: "notify" }, send("remind")],
  },
  wait("another", "1m"),
  send("bye"),
]

/** A team with two sequences and people, before the first fault. */
export async function prepareLives(world: World): Promise<Lives> {
  const team = await makeTeamHere()
  const { api } = team
  const url = world.receivers.good()
  const events = ["started", "finished", "reached", "held"].map((name) => `sequence.${name}`)
  await api.post("/webhooks", { url, events })
  const { body: book } = await api.post("/contact-books", { name: "Readers" })
  const { body: topic } = await api.post("/topics", { name: "Letters" })
  const start = async (change: object): Promise<string> => {
    const { body } = await api.post("/sequences", { ...sequenceInput(team, book.id), ...change })
    // A call outside of the world would wake a consumer outside of it.
    await answered(world, team, "POST", `/sequences/${body.id}/activate`)
    return body.id
  }
  const letters = await start({ topicId: topic.id, steps: STEPS })
  const greetings = await start({
    ...{ trigger: { on: "event", name: "visited" }, entry: "again" },
    steps: [send("greeting"), wait("rest", "1m"), { key: "seen", kind: "notify" }],
  })
  const people = await addCrowd(team, book.id)
  for (const way of WAYS.flatMap((one) => Array<Way>(PEOPLE_A_WAY).fill(one))) {
    const address = at("success", `${way.replaceAll(" ", "-")}-${people.length}`)
    const { body } = await api.post(`/contact-books/${book.id}/contacts`, { email: address })
    people.push({ id: body.id, address, way, saidNoAt: Number.POSITIVE_INFINITY, visits: 0 })
  }
  return {
    ...{ team, people, letters, greetings, bookId: book.id, topicId: topic.id },
    inbox: (await makeInbox(team)).address,
    paused: { from: Number.POSITIVE_INFINITY, to: 0 },
  }
}

async function addCrowd(team: Team, bookId: string): Promise<Person[]> {
  const people = Array.from({ length: CROWD }, (_, index): Person => {
    const id = newId("contact")
    const address = at("success", `crowd-${index}`)
    return { id, address, way: "stays", saidNoAt: Number.POSITIVE_INFINITY, visits: 0 }
  })
  for (const part of chunk(people, ADDED_AT_ONCE)) {
    await env.DB.prepare(
      `insert into contacts (team_id, book_id, id, email, subscribed, properties, created_at, updated_at)
       select ?1, ?2, value ->> 'id', value ->> 'address', 1, '{}', 0, 0 from json_each(?3)`,
    )
      .bind(team.id, bookId, JSON.stringify(part.map(({ id, address }) => ({ id, address }))))
      .run()
  }
  return people
}

/** What people do while their runs go on, each after they began. */
export function live(world: World, lives: Lives): Action[] {
  const { team, people, letters } = lives
  const [crowd, others] = [people.slice(0, CROWD), people.slice(CROWD)]
  const starts = chunk(people, STARTED_AT_ONCE).map((part) => async () => {
    const contactIds = part.map(({ id }) => id)
    await answered(world, team, "POST", `/sequences/${letters}/contacts`, { contactIds })
  })
  const visits = Array.from({ length: VISITS }, (_, index) => index)
  const actions = [
    ...others.map((person) => () => act(world, lives, person)),
    ...others.flatMap((person) => visits.map((index) => () => visit(world, team, person, index))),
    ...chunk(crowd, EVENTS_AT_ONCE).flatMap((part) =>
      visits.map((index) => () => visitTogether(world, team, part, index)),
    ),
    () => pause(world, lives),
  ]
  return [...starts, ...shuffled(actions, world.draw, "lives")]
}

async function answered(world: World, team: Team, method: string, path: string, body?: unknown) {
  const reply = await call(world, team, method, path, body)
  if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}`)
  return reply.body
}

const visitOf = ({ id }: Person, index: number) => ({
  ...{ name: "visited", contactId: id, idempotencyKey: `${id}-${index}` },
})

async function visitTogether(world: World, team: Team, people: readonly Person[], index: number) {
  const inputs = people.map((person) => visitOf(person, index))
  await answered(world, team, "POST", "/events", inputs)
  for (const person of people) person.visits++
}

/** A contact that left is not found: somebody who says no all the same. */
async function visit(world: World, team: Team, person: Person, index: number) {
  const { way } = person
  const { status } = await call(world, team, "POST", "/events", visitOf(person, index))
  if (status < 300) person.visits++
  else if (way !== "is deleted") throw new Error(`A visit answered ${status}`)
}

async function pause(world: World, { team, letters, paused }: Lives) {
  await answered(world, team, "POST", `/sequences/${letters}/pause`)
  paused.from = world.latest()
  await world.actions.sleep(60_000)
  paused.to = world.latest()
  await answered(world, team, "POST", `/sequences/${letters}/activate`)
}

async function act(world: World, lives: Lives, person: Person) {
  const { team, bookId, topicId } = lives
  const { id, address: email, way } = person
  const path = `/contact-books/${bookId}/contacts/${id}`
  await world.actions.sleep(world.draw(`${email} acts`) * 4 * 60_000)
  switch (way) {
    case "pays":
      return answered(world, team, "POST", "/events", {
        ...{ name: "paid", contactId: id, idempotencyKey: `${id}-paid` },
      })
    case "unsubscribes":
      await answered(world, team, "PATCH", path, { subscribed: false })
      break
    case "is unsubscribed":
      await answered(world, team, "POST", "/contacts/unsubscribe", { email })
      break
    case "is suppressed":
      await answered(world, team, "POST", "/suppressions", { email })
      break
    case "is deleted": {
      const { status } = await call(world, team, "DELETE", path)
      if (status !== 204 && status !== 404) throw new Error(`A deletion answered ${status}`)
      break
    }
    case "wants no topic":
      await answered(world, team, "PATCH", path, { topics: { [topicId]: false } })
      break
    case "replies":
      if (!(await reply(world, lives, person))) return
      break
    case "stays":
      return
  }
  person.saidNoAt = world.latest()
}

/** Answers the first mail. The reply is a no once it is worked off. */
async function reply(world: World, { team, letters, inbox }: Lives, { address }: Person) {
  const { data } = await answered(
    ...([world, team, "GET"] as const),
    `/emails?sequenceId=${letters}&to=${encodeURIComponent(address)}`,
  )
  const [mail] = data
  if (!mail) return false
  const answer = `In-Reply-To: <${mail.id}@${team.domain}>`
  const path = `/api/v1/received-emails?${new URLSearchParams({ to: inbox, from: address })}`
  const headers = { authorization: `Bearer ${team.api.key}` }
  const body = new TextEncoder().encode(messageTo(inbox, [answer]))
  const { body: taken } = await repeat(world, "a reply", () =>
    world.request("POST", path, { headers, body }),
  )
  for (;;) {
    const found = await ask(world, team, "GET", `/received-emails/${taken.id}`)
    if (found?.body?.answersEmailId) return true
    await world.actions.sleep(5_000)
  }
}
