import { expect, it } from "vitest"
import { gather } from "../../../src/worker/providers/sandbox/gather.ts"

it("works together on items that come at the same time, and on later ones apart", async () => {
  const parts: number[][] = []
  const double = gather(async (items: number[]) => {
    parts.push(items)
    return items.map((item) => 2 * item)
  })
  expect(await Promise.all([double(1), double(2)])).toEqual([2, 4])
  expect(await double(3)).toBe(6)
  expect(parts).toEqual([[1, 2], [3]])
})

it("fails all items that it worked on together, and none of the next", async () => {
  let isBroken = true
  const work = gather(async (items: string[]) => {
    if (isBroken) throw new Error("broken")
    return items
  })
  const results = await Promise.allSettled([work("a"), work("b")])
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  isBroken = false
  expect(await work("c")).toBe("c")
})
