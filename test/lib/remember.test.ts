import { expect, it } from "vitest"
import { remember } from "../../src/lib/remember.ts"

it("makes each value once, and keeps no more than a few", () => {
  const made: string[] = []
  const read = remember((key) => {
    made.push(key)
    return key.toUpperCase()
  }, 2)
  expect(["a", "a", "b", "a"].map(read)).toEqual(["A", "A", "B", "A"])
  expect(made).toEqual(["a", "b"])
  read("c")
  read("a")
  expect(made).toEqual(["a", "b", "c", "a"])
})
