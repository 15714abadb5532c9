import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { metered } from "../../support/meter.ts"
import { makeStage, wait } from "../../support/sequence.ts"
import { makePerson } from "../../support/session.ts"

const MANY = 2_500
const FEW = 300

let stage: Awaited<ReturnType<typeof makeStage>>
let ada: string
let busy: string

/** A team with many contacts, each with an event and a run that is done. */
beforeAll(async () => {
  stage = await makeStage()
  const { team, bookId } = stage
  busy = await stage.addSequence({ name: "Busy", steps: [wait("pause")] })
  const people = JSON.stringify(Array.from({ length: MANY }, (_, n) => String(n).padStart(26, "0")))
  await env.DB.batch(
    [
      `insert into contacts (team_id, book_id, id, email, subscribed, properties, created_at, updated_at)
       select ?1, ?2, 'ct_' || value, value || '@example.com', 1, '{}', 0, 0 from json_each(?3) where ?4 <> ''`,
      `insert into contact_events (team_id, id, contact_id, name, at, properties)
       select ?1, 'evt_' || value, 'ct_' || value, 'seen', 0, '{}' from json_each(?3) where ?2 <> '' and ?4 <> ''`,
      `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, since, state, started_at)
       select ?1, 'run_' || value, ?4, 'ct_' || value, 1, 0, 'done', 0 from json_each(?3) where ?2 <> ''`,
    ].map((text) => env.DB.prepare(text).bind(team.id, bookId, people, busy)),
  )
  ada = await stage.addContact("ada@example.com")
})

const readBy = async (work: () => Promise<unknown>) => (await metered(work)).rowsRead

it("a call about one contact reads its own rows, however many the team has", async () => {
  const { api } = stage.team
  const quiet = await stage.addSequence({ name: "Quiet", steps: [wait("pause")] })
  const calls: Record<string, () => Promise<{ status: number }>> = {
    "an event by id": () => api.post("/events", { name: "ordered", contactId: ada }),
    "an event by address": () =>
      api.post("/events", {
        name: "ordered",
        email: "ada@example.com",
        bookId: stage.bookId,
        idempotencyKey: "one",
      }),
    "its events": () => api.get(`/contact-books/${stage.bookId}/contacts/${ada}/events`),
    "the runs of a sequence": () => api.get(`/sequences/${quiet}/runs`),
    "its runs": () => api.get(`/sequences/${busy}/runs?contactId=${ada}&state=held`),
    "a change": () =>
      api.patch(`/contact-books/${stage.bookId}/contacts/${ada}`, { firstName: "A" }),
    "an unsubscription": () => api.post("/contacts/unsubscribe", { email: "ada@example.com" }),
    "its deletion": () => api.delete(`/contact-books/${stage.bookId}/contacts/${ada}`),
  }
  for (const [name, call] of Object.entries(calls)) {
    const rows = await readBy(async () => expect((await call()).status, name).toBeLessThan(300))
    expect(rows, name).toBeLessThan(FEW)
  }
})

it("the runs of a sequence in a state or a step are looked for among a thousand at a time", async () => {
  const oldest = `run_${"0".repeat(26)}`
  await env.DB.prepare("update sequence_runs set state = 'held', step_key = 'pause' where id = ?")
    .bind(oldest)
    .run()
  const person = await makePerson(stage.team.id, "owner")
  const { api } = stage.team
  for (const filter of ["state=held", "stepKey=pause"]) {
    for (const read of [
      (page: string) => api.get(`/sequences/${busy}/runs?${filter}${page}`),
      (page: string) => person.get(`/run-rows?sequenceId=${busy}&${filter}${page}`),
    ]) {
      const pages: unknown[] = []
      let next = ""
      do {
        const rows = await readBy(async () => {
          const { body } = await read(next)
          pages.push([body.data.map(({ id }: { id: string }) => id), body.searchedUntil])
          next = body.nextCursor ? `&cursor=${body.nextCursor}` : ""
        })
        expect(rows).toBeLessThan(3 * 1_000 + FEW)
      } while (next)
      const epoch = new Date(0).toISOString()
      expect(pages).toEqual([
        [[], epoch],
        [[], epoch],
        [[oldest], undefined],
      ])
    }
  }
})
