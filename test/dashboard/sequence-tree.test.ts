import { describe, expect, it } from "vitest"
import {
  copyOf,
  freshKey,
  insert,
  join,
  keysInOrder,
  listId,
  mapBlocks,
  move,
  placeAcross,
  placeBeside,
  placeOf,
  remove,
  stepAt,
  stepOf,
  TOP,
  update,
} from "../../src/dashboard/pages/sequences/builder/tree.ts"
import { pathTitle } from "../../src/dashboard/pages/sequences/words.ts"
import { type Step, sequenceSteps } from "../../src/worker/sequences/definition/steps-contract.ts"

const wait = (key: string): Step => ({ key, kind: "wait", for: "1d" })
const waitFor = (key: string, yes: Step[], no: Step[]): Step =>
  // biome-ignore lint/suspicious/noThenProperty: A member of the contract.
  ({ key, kind: "waitFor", event: "order.paid", timeout: "1d", then: yes, else: no })
const split = (key: string, ...parts: Step[][]): Step => ({
  ...{ key, kind: "split" },
  parts: parts.map((steps) => ({ weight: 1, steps })),
})
const branch = (key: string, first: Step[], rest: Step[]): Step => ({
  ...{ key, kind: "branch", else: rest },
  cases: [{ filter: { all: [{ event: "order.paid" }] }, steps: first }],
})

const STEPS = [
  wait("a"),
  waitFor("b", [wait("c"), split("d", [wait("e")], [])], [wait("f")]),
  branch("g", [], [wait("h")]),
]
const keys = (steps: readonly Step[]) => keysInOrder(steps).join(" ")
const then = listId("b", "then")

it.each([
  [
    [1, 3],
    ["25%", "75%"],
  ],
  [
    [Number.NaN, 3],
    ["0%", "100%"],
  ],
  [
    [0, Number.NaN],
    ["", ""],
  ],
])("shows the weights %j of a split as %j", (weights, shown) => {
  const parts = weights.map((weight) => ({ weight, steps: [] }))
  const step: Step = { key: "a", kind: "split", parts }
  expect(weights.map((_, path) => pathTitle(step, String(path)))).toEqual(shown)
})

describe("steps of a sequence", () => {
  it("are found at any depth", () => {
    expect(keys(STEPS)).toBe("a b c d e f g h")
    expect(placeOf(STEPS, "e")).toEqual({ list: listId("d", "0"), index: 0 })
    expect(placeOf(STEPS, "h")).toEqual({ list: listId("g", "else"), index: 0 })
    expect(placeOf(STEPS, "x")).toBeUndefined()
  })

  it.each([
    [{ list: TOP, index: 0 }, "x a b c d e f g h"],
    [{ list: TOP, index: 3 }, "a b c d e f g h x"],
    [{ list: then, index: 1 }, "a b c x d e f g h"],
    [{ list: listId("d", "1"), index: 0 }, "a b c d e x f g h"],
    [{ list: listId("g", "0"), index: 0 }, "a b c d e f g x h"],
  ])("take a new one at %j", (place, expected) => {
    const after = insert(STEPS, place, wait("x"))
    expect(keys(after)).toBe(expected)
    expect(sequenceSteps.parse(after)).toEqual(after)
  })

  it("are removed with what is inside of them", () => {
    expect(keys(remove(STEPS, "d"))).toBe("a b c f g h")
    expect(keys(remove(STEPS, "b"))).toBe("a g h")
    expect(remove(STEPS, "x")).toEqual(STEPS)
  })

  it("keep one path where a step is joined", () => {
    expect(keys(join(STEPS, "b", "then"))).toBe("a c d e g h")
    expect(keys(join(STEPS, "d", "1"))).toBe("a b c f g h")
    expect(join(STEPS, "a", "then")).toEqual(STEPS)
  })

  it("move down and up in a list, into a path and out of it", () => {
    expect(keys(move(STEPS, "a", { list: TOP, index: 2 }))).toBe("b c d e f a g h")
    expect(keys(move(STEPS, "g", { list: TOP, index: 0 }))).toBe("g h a b c d e f")
    expect(keys(move(STEPS, "a", { list: then, index: 2 }))).toBe("b c d e a f g h")
    expect(keys(move(STEPS, "e", { list: TOP, index: 0 }))).toBe("e a b c d f g h")
  })

  it("do not move into themselves", () => {
    expect(move(STEPS, "b", { list: listId("d", "0"), index: 0 })).toEqual(STEPS)
    expect(move(STEPS, "b", { list: then, index: 0 })).toEqual(STEPS)
  })

  it.each([
    ["a", 1, "b c d e f a g h"],
    ["g", -1, "a g h b c d e f"],
    ["c", -1, "a c b d e f g h"],
    ["d", 1, "a b c f d e g h"],
    ["e", 1, "a b c d e f g h"],
  ] as const)("%s goes by %d, out of a path at its end", (key, by, expected) => {
    const place = placeBeside(STEPS, key, by)
    expect(keys(move(STEPS, key, place!))).toBe(expected)
  })

  it("do not go beyond the first and the last place", () => {
    expect(placeBeside(STEPS, "a", -1)).toBeUndefined()
    expect(placeBeside(STEPS, "g", 1)).toBeUndefined()
  })

  it("go to the path beside them", () => {
    expect(placeAcross(STEPS, "c", 1)).toEqual({ list: listId("b", "else"), index: 1 })
    expect(placeAcross(STEPS, "f", -1)).toEqual({ list: then, index: 2 })
    expect(placeAcross(STEPS, "f", 1)).toBeUndefined()
    expect(placeAcross(STEPS, "a", 1)).toBeUndefined()
  })

  it("are changed alone", () => {
    const after = update(STEPS, "e", (step) => ({ ...step, for: "2d" }) as Step)
    expect(stepOf(after, "e")).toEqual({ key: "e", kind: "wait", for: "2d" })
    expect(stepOf(after, "c")).toEqual(wait("c"))
  })

  it("are copied with keys of their own", () => {
    const copy = copyOf(STEPS, "b")!
    expect(keys([copy])).toBe("b-2 c-2 d-2 e-2 f-2")
    expect(copyOf([...STEPS, copy], "b-2")?.key).toBe("b-3")
    expect(freshKey(STEPS, "wait")).toBe("wait")
  })

  it("are named by the path of an issue", () => {
    const bad = [
      ...STEPS.slice(0, 1),
      waitFor("b", [wait("c"), split("d", [{ key: "e", kind: "wait", for: "1x" }], [])], []),
    ]
    const [issue] = sequenceSteps.safeParse(bad).error?.issues ?? []
    expect(stepAt(bad, issue!.path)).toEqual({ key: "e", rest: ["for"] })
    expect(stepAt(STEPS, [2, "cases", 0, "filter"])).toEqual({
      key: "g",
      rest: ["cases", 0, "filter"],
    })
    expect(stepAt(STEPS, [9])).toBeUndefined()
  })

  it("have their blocks changed at any depth", () => {
    const send: Step = { key: "s", kind: "send", subject: "Hi", preheader: null, blocks: [] }
    const after = mapBlocks([branch("g", [send], [])], () => [{ kind: "divider" }])
    expect(stepOf(after, "s")).toEqual({ ...send, blocks: [{ kind: "divider" }] })
  })
})
