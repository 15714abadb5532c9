import type { CreateAutomationOptions } from "resend"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeStage } from "../../support/sequence.ts"
import { ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

type Steps = CreateAutomationOptions["steps"]
type Rule = Extract<Steps[number], { type: "condition" }>["config"]

async function setUp() {
  const stage = await makeStage()
  const { team } = stage
  const resend = createResend(team.api.key)
  const html = "<p>Hi</p>"
  const { id } = await ok(resend.templates.create({ name: "Hello", subject: "Welcome", html }))
  const mail = (key: string, more: object = {}) => ({
    ...{ key, type: "send_email" as const },
    config: { template: { id }, from: `News <news@${team.domain}>`, ...more },
  })
  return { ...stage, resend, mail }
}

const START = { key: "trigger", type: "trigger", config: { eventName: "user.created" } } as const
const delay = (key: string, duration: string) =>
  ({ key, type: "delay", config: { duration } }) as const
const wait = (key: string, more: object = {}) =>
  ({ key, type: "wait_for_event", config: { eventName: "order.paid", ...more } }) as const
const condition = (key: string, config: Rule) => ({ key, type: "condition", config }) as const
const isPro: Rule = { type: "rule", field: "contact.plan", operator: "eq", value: "pro" }

describe("automations", () => {
  it("run for the event of a contact, and say what became of it", async () => {
    const { resend, mail, driver, pass } = await setUp()
    const email = "ada@example.com"
    await ok(resend.contacts.create({ email }))
    const { id } = await ok(
      resend.automations.create({
        ...{ name: "Welcome", status: "enabled" },
        steps: [
          START,
          mail("hello"),
          delay("pause", "3 days"),
          mail("again", { subject: "Still there?" }),
        ],
        connections: [
          { from: "trigger", to: "hello" },
          { from: "hello", to: "pause" },
          { from: "pause", to: "again" },
        ],
      }),
    )
    await ok(resend.events.send({ event: "user.created", email }))
    await driver.drain()
    await pass()
    const runs = await ok(resend.automations.runs.list({ automationId: id, status: "running" }))
    expect(runs.data).toMatchObject([{ status: "running", completed_at: null }])
    const run = await ok(resend.automations.runs.get({ automationId: id, runId: runs.data[0]!.id }))
    expect(run.steps).toMatchObject([
      {
        key: "hello",
        type: "send_email",
        status: "completed",
        output: { email_id: expect.any(String) },
      },
    ])
    const { data: sent } = await ok(resend.emails.list())
    expect(sent).toMatchObject([{ subject: "Welcome", to: [email] }])
    await ok(resend.automations.stop(id))
    await pass()
    const [stopped] = (await ok(resend.automations.runs.list({ automationId: id }))).data
    expect(stopped).toMatchObject({ status: "cancelled" })
    expect(await ok(resend.automations.remove(id))).toMatchObject({ deleted: true })
  })

  it("fill a template, its subject too, from the contact by the names that Resend has", async () => {
    const { team, resend, mail, driver, pass } = await setUp()
    const email = "ada@example.com"
    await ok(resend.contacts.create({ email, firstName: "Ada", properties: { CITY: "London" } }))
    const { id: template } = await ok(
      resend.templates.create({
        ...{ name: "Filled", subject: "Hello {{{FIRST_NAME}}} of {{{CITY}}}" },
        html: '<p>{{{contact.first_name}}}, {{{CITY}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">Stop</a>',
      }),
    )
    await ok(
      resend.automations.create({
        ...{ name: "Filled", status: "enabled" },
        steps: [START, mail("hello", { template: { id: template } })],
        connections: [{ from: "trigger", to: "hello" }],
      }),
    )
    await ok(resend.events.send({ event: "user.created", email }))
    await driver.drain()
    await pass()
    const { body } = await team.api.get("/sandbox/messages?wait=30")
    expect(body.data).toMatchObject([{ subject: "Hello Ada of London" }])
    expect(body.data[0].html).toContain("<p>Ada, London</p>")
    expect(body.data[0].html).toMatch(/href="[^"]+\/preferences\/[^"]+">Stop/)
  })

  it("leave nothing behind where they cannot be enabled", async () => {
    const { resend, mail } = await setUp()
    const { error } = await resend.automations.create({
      ...{ name: "No", status: "enabled" },
      steps: [START, mail("hello", { subject: "{{ nothing }}" })],
      connections: [{ from: "trigger", to: "hello" }],
    })
    expect(error?.statusCode).toBe(400)
    expect((await ok(resend.automations.list())).data).toEqual([])
  })

  it("list their runs backwards, the newest first", async () => {
    const { resend, mail, driver, pass } = await setUp()
    const { id: automationId } = await ok(
      resend.automations.create({
        ...{ name: "Runs", status: "enabled" },
        steps: [START, mail("hello")],
        connections: [{ from: "trigger", to: "hello" }],
      }),
    )
    for (const email of ["a@example.com", "b@example.com", "c@example.com"]) {
      await ok(resend.contacts.create({ email }))
      await ok(resend.events.send({ event: "user.created", email }))
    }
    await driver.drain()
    await pass()
    const list = async (query: object) =>
      (await ok(resend.automations.runs.list({ automationId, ...query }))).data.map(({ id }) => id)
    const all = await list({})
    expect(all).toHaveLength(3)
    expect(await list({ before: all[2] })).toEqual(all.slice(0, 2))
  })

  it("show a step that a person has skipped", async () => {
    const { team, resend, mail, pass } = await setUp()
    const email = "ada@example.com"
    await ok(resend.contacts.create({ email }))
    const { id: automationId } = await ok(
      resend.automations.create({
        ...{ name: "Welcome", status: "enabled" },
        steps: [START, delay("pause", "3 days"), mail("hello")],
        connections: [
          { from: "trigger", to: "pause" },
          { from: "pause", to: "hello" },
        ],
      }),
    )
    await ok(resend.events.send({ event: "user.created", email }))
    await pass()
    const { data } = await ok(resend.automations.runs.list({ automationId }))
    const runId = data[0]!.id
    await team.api.post(`/runs/${runId}/skip`, {})
    expect(await ok(resend.automations.runs.get({ automationId, runId }))).toMatchObject({
      status: "completed",
      steps: [
        { key: "pause", status: "skipped" },
        { key: "hello", status: "completed" },
      ],
    })
  })

  it("keep their graph, also where arms meet again", async () => {
    const { resend, mail } = await setUp()
    const steps = [
      START,
      condition("is-pro", {
        type: "and",
        rules: [isPro, { type: "rule", field: "contact.city", operator: "exists" }],
      }),
      mail("pro"),
      wait("paid", { timeout: "1 week" }),
      { key: "thank", type: "contact_update", config: { properties: { paid: true } } } as const,
      mail("end"),
    ]
    const connections = [
      { from: "trigger", to: "is-pro", type: "default" as const },
      { from: "is-pro", to: "pro", type: "condition_met" as const },
      { from: "pro", to: "end", type: "default" as const },
      { from: "is-pro", to: "paid", type: "condition_not_met" as const },
      { from: "paid", to: "thank", type: "event_received" as const },
      { from: "thank", to: "end", type: "default" as const },
      { from: "paid", to: "end", type: "timeout" as const },
    ]
    const { id } = await ok(resend.automations.create({ name: "Graph", steps, connections }))
    const kept = await ok(resend.automations.get(id))
    expect(kept).toMatchObject({ object: "automation", name: "Graph", status: "disabled" })
    expect(kept.connections.length).toBe(connections.length)
    expect(kept.connections).toEqual(expect.arrayContaining(connections))
    expect(kept.steps.map(({ key, type }) => [key, type]).toSorted()).toEqual(
      steps.map(({ key, type }) => [key, type]).toSorted(),
    )
    const configOf = (wanted: string) => kept.steps.find(({ key }) => key === wanted)?.config
    expect(configOf("is-pro")).toEqual(steps[1]?.config)
    expect(configOf("paid")).toEqual({ event_name: "order.paid", timeout: "7 days" })
    expect(configOf("pro")).toMatchObject({ subject: "Welcome", from: expect.any(String) })
    const copy = await ok(resend.automations.duplicate(id))
    const { name, connections: copied } = await ok(resend.automations.get(copy.id))
    expect([name, copied]).toEqual(["Graph (copy)", kept.connections])
    await ok(
      resend.automations.update(id, {
        steps: [START, mail("only")],
        connections: [{ from: "trigger", to: "only" }],
      }),
    )
    expect((await ok(resend.automations.get(id))).steps).toHaveLength(2)
  })

  it("are refused with the reason where a sequence cannot do the same", async () => {
    const { resend, mail } = await setUp()
    const other = (type: string, config: object) =>
      ({ key: "other", type, config }) as Steps[number]
    const line = (...steps: Steps) => ({
      name: "No",
      steps: [START, ...steps],
      connections: steps.map(({ key }, at) => ({
        from: at === 0 ? "trigger" : steps[at - 1]!.key,
        to: key,
      })),
    })
    const hello = mail("hello")
    const wrong: [CreateAutomationOptions, string][] = [
      [{ ...line(hello), steps: [hello] }, "exactly one trigger"],
      [line(hello, other("contact_delete", {})), "no step contact_delete"],
      [line(hello, other("add_to_segment", { segmentId: "x" })), "no step add_to_segment"],
      [line(hello, other("contact_update", { unsubscribed: true })), "`unsubscribed`"],
      [
        line(hello, other("contact_update", { properties: { a: { var: "event.a" } } })),
        "`properties.a`",
      ],
      [line(hello, delay("later", "soon")), "`3 days`"],
      [line(hello, wait("paid", { filterRule: isPro })), "`filter_rule`"],
      [line(hello, condition("if", { ...isPro, field: "event.plan" } as Rule)), "`event.plan`"],
      [line(hello, condition("if", { ...isPro, operator: "ends_with" } as Rule)), "no ends_with"],
      [
        line(hello, condition("if", { ...isPro, field: "contact.unsubscribed" } as Rule)),
        "cannot ask",
      ],
      [
        line(mail("hello", { template: { id: hello.config.template.id, variables: { A: 1 } } })),
        "`variables`",
      ],
      [line(hello, mail("other", { from: "Else <else@example.com>" })), "`from`"],
      [line(delay("later", "1 day")), "needs `from`"],
      [line(other("contact_delete", {})), "no step contact_delete"],
      [{ ...line(hello), steps: [START, hello, mail("lost")] }, "No way leads to the step lost"],
      [{ ...line(hello), connections: [{ from: "trigger", to: "none" }] }, "no step none"],
      [
        {
          ...line(hello, delay("later", "1 day")),
          connections: [
            ...line(hello, delay("later", "1 day")).connections,
            { from: "later", to: "hello" },
          ],
        },
        "Two ways lead to the step hello",
      ],
    ]
    for (const [automation, reason] of wrong) {
      const { error } = await resend.automations.create(automation)
      expect([error?.statusCode, error?.message]).toEqual([422, expect.stringContaining(reason)])
    }
    const tooMany = Array.from({ length: 101 }, (_, at) => delay(`d${at}`, "1 day"))
    const { error } = await resend.automations.create(line(...tooMany))
    expect(error).toMatchObject({ statusCode: 400, message: expect.stringContaining("steps") })
    expect((await ok(resend.automations.list())).data).toEqual([])
  })

  it("cannot be read where a sequence has steps of its own", async () => {
    const { resend, addSequence } = await setUp()
    const id = await addSequence({ steps: [{ key: "tell", kind: "notify" }] }, { active: false })
    expect(await ok(resend.automations.list())).toMatchObject({ data: [{ id }] })
    expect(await resend.automations.get(id)).toMatchObject({ error: { statusCode: 422 } })
  })
})

it.each([
  [{ event: "Paid now" }, "event"],
  [{ event: undefined }, "event"],
  [{ event: "paid", payload: { items: [1] } }, "payload.items"],
])("an event that is refused is told of by Resend's names: %j", async (change, member) => {
  const { resend } = await setUp()
  const event = { email: "ada@example.com", ...change } as Parameters<typeof resend.events.send>[0]
  const { error } = await resend.events.send(event)
  expect(error?.message).toContain(`\`${member}\``)
})
