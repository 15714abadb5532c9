import { expect, it, vi } from "vitest"
import { readContacts } from "../../../src/worker/contacts/import/read-import.ts"

it("other calls have their turn between the pieces, columns and rows of a large import", async () => {
  const header = ["email", ...Array.from({ length: 50 }, (_, index) => `newsletter${index}`)]
  const row = (_: unknown, index: number) => `a${index}@b.co${",yes".repeat(50)}`
  const csv = [header.join(), ...Array.from({ length: 9_000 }, row)].join("\n")
  const meaning = { columns: {}, subscribed: true }
  const pause = vi.spyOn(globalThis, "setTimeout")
  await readContacts(csv, meaning)
  expect(pause.mock.calls.length).toBe(7 + 4 + 3)
  pause.mockRestore()
})
