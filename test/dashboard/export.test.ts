import { expect, it } from "vitest"
import { PIECE_CHARACTERS, toPieces } from "../../src/dashboard/ui/export/csv-line.ts"

it("hands an export over in pieces of a bounded size, with every row once", async () => {
  let made = 0
  let mostAhead = 0
  let written = 0
  async function* records() {
    while (made < 60_000) {
      mostAhead = Math.max(mostAhead, made - written)
      yield { id: made++, subject: "x".repeat(100) }
    }
  }
  const pieces = await toPieces(
    records(),
    ({ id, subject }) => {
      written++
      return [String(id), subject]
    },
    () => {},
  )
  expect(mostAhead).toBe(0)
  expect(pieces.length).toBeGreaterThan(6)
  for (const { size } of pieces) expect(size).toBeLessThan(PIECE_CHARACTERS + 200)
  const lines = (await new Blob(pieces).text()).trimEnd().split("\n")
  expect(lines).toHaveLength(60_000)
  expect(lines.at(-1)).toBe(`59999,${"x".repeat(100)}`)
})

it("neutralises formulas", async () => {
  async function* records() {
    yield "=1+1"
  }
  const [piece] = await toPieces(
    records(),
    (text) => [text],
    () => {},
  )
  expect(await piece?.text()).toBe("'=1+1\n")
})
