import { describe, expect, it } from "vitest"
import { DAY_MS, HOUR_MS } from "../../../src/lib/time.ts"
import {
  advance,
  type Definition,
  type Facts,
  type Standing,
} from "../../../src/worker/sequences/definition/advance.ts"
import { nextMoment, openingOf } from "../../../src/worker/sequences/definition/clock.ts"
import { relocate } from "../../../src/worker/sequences/definition/flow.ts"
import type { Step } from "../../../src/worker/sequences/definition/steps-contract.ts"

const NOON = Date.parse("2026-12-01T12:00:00Z")

const contact = {
  ...{ id: "ct_1", email: "ada@example.com", firstName: "Ada", lastName: null },
  ...{ subscribed: true, createdAt: 0, properties: { plan: "pro" }, topics: {} },
}
const facts: Facts = {
  ...{ contact, isSuppressed: false, wantsTopic: true, hasReplied: false, hasEvent: false },
  ...{ happened: new Map(), cannotSend: null },
}
const definition = (steps: Step[], more: Partial<Definition> = {}): Definition => ({
  ...{ steps, goal: null, endOnReply: true, window: null, required: new Map(), isArchived: false },
  ...more,
})
const wait = (key: string, duration = "1d"): Step => ({ key, kind: "wait", for: duration })
const notify = (key: string): Step => ({ key, kind: "notify" })
const send: Step = { key: "mail", kind: "send", subject: "A", preheader: null, blocks: [] }
const START: Standing = { stepKey: null, since: NOON }
const at = (
  steps: Step[],
  change: {
    facts?: Partial<Facts>
    definition?: Partial<Definition>
    standing?: Standing
    now?: number
  } = {},
) =>
  advance(
    definition(steps, change.definition),
    change.standing ?? START,
    { ...facts, ...change.facts },
    change.now ?? NOON,
  )

describe("a step", () => {
  it("that waits is due later, and is passed then", () => {
    expect(at([wait("a")]).next).toMatchObject({
      state: "waiting",
      stepKey: "a",
      dueAt: NOON + DAY_MS,
    })
    const standing = { stepKey: "a", since: NOON }
    expect(at([wait("a")], { standing, now: NOON + DAY_MS }).next).toMatchObject({
      endedBy: "finished",
    })
  })

  it("that waits for an event takes the event before the timeout", () => {
    const step: Step = {
      ...{ key: "w", kind: "waitFor", event: "paid", timeout: "1d" },
      // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
      ...{ then: [notify("yes")], else: [notify("no")] },
    } as Step
    const standing = { stepKey: "w", since: NOON }
    expect(at([step]).next).toMatchObject({ waitsFor: "paid" })
    const paid = at([step], { standing, facts: { hasEvent: true }, now: NOON + DAY_MS })
    expect(paid.passed.map(({ stepKey }) => stepKey)).toEqual(["w", "yes"])
    const late = at([step], { standing, now: NOON + DAY_MS })
    expect(late.passed.map(({ stepKey }) => stepKey)).toEqual(["w", "no"])
  })

  it("that sets a property decides the branch after it", () => {
    const filter = { all: [{ field: "properties.plan", op: "is", value: "free" }] }
    const branch: Step = {
      key: "b",
      kind: "branch",
      cases: [{ filter, steps: [notify("yes")] }],
      else: [],
    }
    const set: Step = { key: "s", kind: "set", properties: { plan: "free" } }
    expect(at([branch]).passed).toMatchObject([{ outcome: "else" }])
    expect(at([set, branch]).passed).toMatchObject([{}, { outcome: "case" }, { stepKey: "yes" }])
  })

  it("that sends waits for the window, skips who does not want the topic, and is held without a domain", () => {
    const window = { from: "14:00", until: "16:00", zone: "UTC" }
    expect(at([send]).actions).toEqual([{ kind: "send", stepKey: "mail" }])
    expect(at([send], { definition: { window } }).next).toMatchObject({ dueAt: NOON + 2 * HOUR_MS })
    expect(at([send], { facts: { wantsTopic: false } }).passed).toMatchObject([
      { outcome: "skipped" },
    ])
    expect(at([send], { facts: { cannotSend: "No domain." } }).next).toMatchObject({
      ...{ state: "held", reason: "No domain." },
    })
    const required = new Map([["mail", ["properties.city"]]])
    expect(at([send], { definition: { required } }).next).toMatchObject({ state: "held" })
  })

  it.each([
    ["deleted", { contact: null }],
    ["unsubscribed", { contact: { ...contact, subscribed: false } }],
    ["suppressed", { isSuppressed: true }],
    ["reply", { hasReplied: true }],
  ] as const)("does nothing once the contact is gone: %s", (endedBy, change) => {
    expect(at([notify("a")], { facts: change })).toMatchObject({ actions: [], next: { endedBy } })
  })
})

describe("a run after a change of the steps", () => {
  it.each([
    ["stays at its step", [wait("a"), wait("b")], "a", "a"],
    ["goes on at the next step that is still there", [wait("b")], "a", "b"],
    ["is finished without one", [wait("z")], "a", null],
  ] as const)("%s", (_, to, from, key) => {
    expect(relocate([wait("a"), wait("b")], to, from)).toBe(key)
  })
})

describe("a window", () => {
  it.each([
    ["22:00", "06:00", "2026-12-01T23:00:00Z", "2026-12-01T23:00:00Z"],
    ["22:00", "06:00", "2026-12-01T05:00:00Z", "2026-12-01T05:00:00Z"],
    ["22:00", "06:00", "2026-12-01T12:00:00Z", "2026-12-01T22:00:00Z"],
    ["09:00", "17:00", "2026-12-01T18:00:00Z", "2026-12-02T09:00:00Z"],
  ])("from %s until %s at %s opens at %s", (from, until, now, opening) => {
    const window = { from, until, zone: "UTC" }
    expect(openingOf(window, "UTC", Date.parse(now))).toBe(Date.parse(opening))
  })

  it("follows the zone through the change to summer time", () => {
    const before = Date.parse("2026-03-28T12:00:00Z")
    expect(nextMoment({ time: "09:00", days: ["sun"] }, "Europe/Berlin", before)).toBe(
      Date.parse("2026-03-29T07:00:00Z"),
    )
  })
})
