import { expect, it } from "vitest"
import { createPieces } from "../../src/lib/pieces.ts"

const filled = (bytes: number, value: number) => new Uint8Array(bytes).fill(value)

it("a million bytes that come one by one are kept in a few pieces", () => {
  const collected = createPieces()
  for (let at = 0; at < 1_000_000; at++) collected.add(new Uint8Array([at % 251]))
  const joined = collected.join()
  expect(collected.pieces.length).toBe(16)
  expect(joined.length).toBe(1_000_000)
  expect(joined.every((byte, at) => byte === at % 251)).toBe(true)
})

it("small and large pieces keep their order", () => {
  const collected = createPieces()
  const given = [
    filled(3, 1),
    filled(70_000, 2),
    filled(65_535, 3),
    filled(2, 4),
    filled(65_536, 5),
  ]
  for (const piece of given) collected.add(piece)
  expect(collected.join().equals(Buffer.concat(given))).toBe(true)
})
