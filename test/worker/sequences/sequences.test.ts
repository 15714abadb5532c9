import { beforeAll, describe, expect, it } from "vitest"
import { makeStage, send, wait } from "../../support/sequence.ts"

type Stage = Awaited<ReturnType<typeof makeStage>>
let stage: Stage
beforeAll(async () => {
  stage = await makeStage()
})

const DAY = 24 * 60

describe("a run", () => {
  it("goes through its steps, each once", async () => {
    const contactId = await stage.addContact("ada@example.com", { firstName: "Ada" })
    const id = await stage.addSequence({
      steps: [
        send("hello", "Hello {{ firstName }}"),
        wait("pause"),
        { key: "tell", kind: "notify" },
      ],
    })
    expect(await stage.start(id, contactId, "ct_nobody")).toEqual({ started: 1, skipped: 1 })
    await stage.pass()
    expect(await stage.mailOf(id)).toMatchObject([
      { subject: "Hello Ada", to: ["ada@example.com"], sequenceId: id, campaignId: null },
    ])
    expect(await stage.runOf(id, contactId)).toMatchObject({
      state: "waiting",
      stepKey: "pause",
      history: [{ stepKey: "hello", outcome: "sent" }],
    })
    await stage.pass(DAY + 2)
    expect(await stage.runOf(id, contactId)).toMatchObject({
      state: "done",
      endedBy: "finished",
      history: [{ stepKey: "hello" }, { stepKey: "pause" }, { stepKey: "tell" }],
    })
    const { body } = await stage.team.api.get(`/sequences/${id}`)
    expect(body.counts).toEqual({ entered: 1, active: 0, finished: 1, ended: 0 })
    const steps = (await stage.team.api.get(`/sequences/${id}/steps`)).body
    expect(steps.hello).toMatchObject({ entered: 1, waiting: 0, sent: 1, delivered: 1 })
    expect(steps.pause).toMatchObject({ entered: 1, waiting: 0 })
    expect(await stage.start(id, contactId)).toEqual({ started: 0, skipped: 1 })
  })

  it("keeps the steps that a person has skipped", async () => {
    const contactId = await stage.addContact("skip@example.com")
    const id = await stage.addSequence({ steps: [wait("pause"), send("hello"), wait("rest")] })
    await stage.start(id, contactId)
    await stage.pass()
    const skip = async () => {
      const run = await stage.runOf(id, contactId)
      expect((await stage.team.api.post(`/runs/${run.id}/skip`, {})).status).toBe(200)
      return stage.runOf(id, contactId)
    }
    const history = [
      { stepKey: "pause", outcome: "skipped", emailId: null },
      { stepKey: "hello", outcome: "sent" },
    ]
    expect(await skip()).toMatchObject({ stepKey: "rest", history })
    expect(await skip()).toMatchObject({
      ...{ state: "done", endedBy: "finished" },
      history: [...history, { stepKey: "rest", outcome: "skipped" }],
    })
    const { body: steps } = await stage.team.api.get(`/sequences/${id}/steps`)
    for (const key of ["pause", "hello", "rest"]) {
      expect(steps[key]).toMatchObject({ entered: 1, waiting: 0 })
    }
  })

  it("is counted and told of when it begins after a pause", async () => {
    await stage.team.api.post("/webhooks", {
      ...{ url: "https://receiver.example.com/hook", events: ["sequence.started"] },
    })
    const contactId = await stage.addContact("bob@example.com")
    const id = await stage.addSequence({ steps: [wait("pause")] })
    await stage.start(id, contactId)
    await stage.team.api.post(`/sequences/${id}/pause`, {})
    await stage.pass()
    await stage.team.api.post(`/sequences/${id}/activate`, {})
    await stage.pass()
    const { body } = await stage.team.api.get(`/sequences/${id}`)
    expect(body.counts).toEqual({ entered: 1, active: 1, finished: 0, ended: 0 })
    const { body: events } = await stage.team.api.get("/events?after=0")
    const types = events.data.map(({ type }: { type: string }) => type)
    expect(types.filter((type: string) => type.startsWith("sequence."))).toEqual([
      "sequence.started",
    ])
  })
})

it("keeps the segment and the topics that an active or paused sequence needs", async () => {
  const { api } = stage.team
  const filter = { all: [{ field: "firstName", op: "set" }] }
  const segment = await api.post("/segments", { name: "Named", bookId: stage.bookId, filter })
  const topic = async (name: string) => {
    const { body } = await api.post("/topics", { name })
    return body.id as string
  }
  const [ofMail, ofStep] = [await topic("News"), await topic("Tips")]
  const id = await stage.addSequence({
    name: "Needs",
    trigger: { on: "segment", segmentId: segment.body.id },
    topicId: ofMail,
    steps: [{ key: "tips", kind: "set", topics: { [ofStep]: true } }],
  })
  const paths = [`/segments/${segment.body.id}`, `/topics/${ofMail}`, `/topics/${ofStep}`]
  for (const action of ["activate", "pause"]) {
    expect((await api.post(`/sequences/${id}/${action}`, {})).status).toBe(200)
    for (const path of paths) {
      const refused = await api.delete(path)
      expect(refused.status).toBe(409)
      expect(refused.body.error.message).toMatch(/^The sequence “Needs” needs it/)
    }
  }
  expect((await api.post(`/sequences/${id}/archive`, {})).status).toBe(200)
  for (const path of paths) expect((await api.delete(path)).status).toBe(204)
})
