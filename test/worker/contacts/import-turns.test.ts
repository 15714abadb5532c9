import { expect, it } from "vitest"
import { readContacts } from "../../../src/worker/contacts/import/read-import.ts"

/** How often other calls had their turn meanwhile. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false]
  const counting = (async () => {
    for (; !isDone; turns++) await new Promise((resolve) => setTimeout(resolve))
  })()
  await work()
  isDone = true
  await counting
  return turns
}

it("other calls have their turn between the columns and the rows of a large import", async () => {
  const header = ["email", ...Array.from({ length: 50 }, (_, index) => `newsletter${index}`)]
  const row = (_: unknown, index: number) => `a${index}@b.co${",yes".repeat(50)}`
  const csv = [header.join(), ...Array.from({ length: 9_000 }, row)].join("\n")
  const meaning = { columns: {}, subscribed: true }
  expect(await turnsOf(() => readContacts(csv, meaning))).toBeGreaterThan(50 + 8)
})
