import { expect, it } from "vitest"
import type { Sequence } from "../../../src/client/types.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"
import { makePerson } from "../../support/session.ts"

it("lists who is in a sequence, at which step and of which contact, to its team alone", async () => {
  const stage = await makeStage()
  const [ada, grace] = [
    await stage.addContact("ada@example.com"),
    await stage.addContact("grace@example.com"),
  ]
  const first = await stage.addSequence({ name: "First", steps: [wait("pause")] })
  const second = await stage.addSequence({ name: "Second", steps: [wait("pause")] })
  await stage.start(first, ada, grace)
  await stage.pass()
  await stage.start(second, ada)
  await stage.pass()
  const owner = await makePerson(stage.team.id, "owner")
  const rowsOf = async (query: string, person = owner) => {
    const { body } = await person.get(`/run-rows?${query}`)
    return body.data.map(({ email, sequenceName }: { email: string; sequenceName: string }) =>
      [sequenceName, email].join(" "),
    )
  }
  expect(await rowsOf(`sequenceId=${first}&stepKey=pause&state=waiting`)).toEqual([
    "First grace@example.com",
    "First ada@example.com",
  ])
  expect(await rowsOf(`contactId=${ada}`)).toEqual([
    "Second ada@example.com",
    "First ada@example.com",
  ])
  expect(await rowsOf(`sequenceId=${first}&stepKey=other`)).toEqual([])
  expect(await rowsOf(`sequenceId=${first}&state=done`)).toEqual([])
  const stranger = await makePerson((await makeStage()).team.id, "owner")
  expect(await rowsOf(`sequenceId=${first}`, stranger)).toEqual([])
})

it("lists sequences without their steps", async () => {
  const { team, addContact, addSequence, start } = await makeStage()
  const owner = await makePerson(team.id, "owner")
  await start(await addSequence({ steps: [wait("pause")] }), await addContact("ada@example.com"))
  await addSequence({ name: "Draft", steps: [wait("pause")] }, { active: false })
  for (const query of ["", "?status=active", "?limit=1"]) {
    const { body } = await team.api.get(`/sequences${query}`)
    const data = body.data.map(({ id, name, status, updatedAt, counts }: Sequence) => {
      return { id, name, status, updatedAt, counts }
    })
    expect((await owner.get(`/sequence-rows${query}`)).body).toEqual({ ...body, data })
  }
})

it("simulates steps that are not saved yet", async () => {
  const { team, addSequence } = await makeStage()
  const id = await addSequence({ steps: [wait("pause")] }, { active: false })
  const input = { contact: {}, startAt: "2030-01-01T00:00:00Z" }
  const keysOf = async (more: object) => {
    const { status, body } = await team.api.post(`/sequences/${id}/simulate`, { ...input, ...more })
    expect(status).toBe(200)
    return body.timeline.map(({ stepKey }: { stepKey: string }) => stepKey)
  }
  expect(await keysOf({})).toEqual(["pause"])
  expect(await keysOf({ steps: [send("hello"), wait("later", "2d")] })).toEqual(["hello", "later"])
  expect((await team.api.get(`/sequences/${id}`)).body.steps).toMatchObject([{ key: "pause" }])
})
