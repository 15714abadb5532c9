import { expect, it } from "vitest"
import { ANY_WORD, readMailboxes } from "../../src/lib/mailbox-list.ts"

it.each([
  ['"A, \\"B\\"" C <a@b.c>', [{ address: "a@b.c", name: 'A, "B" C' }]],
  ['A"B" <a@b.c>, d@e.f', [{ address: "a@b.c", name: "A B" }, { address: "d@e.f" }]],
  ["x@y.z <a@b.c>", [null]],
  ['"A <a@b.c>', [null]],
])("reads %s", (value, mailboxes) => {
  expect(readMailboxes(value)).toEqual(mailboxes)
})

it.each([undefined, ANY_WORD])("reads a quote that never ends once", (word) => {
  expect(readMailboxes(`"${'\\"'.repeat(120_000)} <a@b.c>`, word)).toEqual([null])
})
