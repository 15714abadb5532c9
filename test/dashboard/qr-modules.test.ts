import { expect, it } from "vitest"
import { qrModules } from "../../src/dashboard/ui/qr-modules.ts"

type Modules = readonly (readonly boolean[])[]

const lines = (modules: Modules) =>
  modules.map((row) => row.map((dark) => (dark ? "#" : ".")).join(""))

const FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]

/** Reads version 1, which has one block and no alignment pattern, as a phone does. */
function readSmall(modules: Modules): { text: string; syndromes: number[] } {
  const at = (x: number, y: number) => Number(modules[y]?.[x] ?? false)
  const number = ((formatOf(modules) ^ 0x5412) >> 10) & 7
  const bits: number[] = []
  for (let right = 20, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right--
    for (let step = 0; step < 21; step++) {
      const y = up ? 20 - step : step
      for (const x of [right, right - 1]) {
        if (!isPattern(x, y)) bits.push(at(x, y) ^ Number(isMasked(number, x, y)))
      }
    }
  }
  const words = Array.from({ length: 26 }, (_, index) =>
    Number.parseInt(bits.slice(8 * index, 8 * index + 8).join(""), 2),
  )
  const length = Number.parseInt(bits.slice(4, 12).join(""), 2)
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(bits.slice(12 + 8 * index, 20 + 8 * index).join(""), 2),
  )
  return { text: String.fromCharCode(...bytes), syndromes: syndromesOf(words) }
}

/** The fifteen bits of the format, beside the lower left and the upper right finder. */
function formatOf(modules: Modules): number {
  let bits = 0
  for (let index = 0; index < 8; index++) {
    bits |= Number(modules[8]?.[20 - index] ?? false) << index
  }
  for (let index = 8; index < 15; index++) {
    bits |= Number(modules[6 + index]?.[8] ?? false) << index
  }
  return bits
}

const isPattern = (x: number, y: number) =>
  x === 6 || y === 6 || (x < 9 && y < 9) || (x < 9 && y > 12) || (x > 12 && y < 9)

const isMasked = (mask: number, x: number, y: number): boolean => {
  const product = x * y
  const rules = [
    (x + y) % 2,
    y % 2,
    x % 3,
    (x + y) % 3,
    (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    (product % 2) + (product % 3),
    ((product % 2) + (product % 3)) % 2,
    (((x + y) % 2) + (product % 3)) % 2,
  ]
  return rules[mask] === 0
}

/** All zero for a word of the code: its seven roots are the powers of 2. */
function syndromesOf(words: readonly number[]): number[] {
  const powers = [1]
  while (powers.length < 255) {
    const next = (powers.at(-1) ?? 0) << 1
    powers.push(next > 255 ? next ^ 0x11d : next)
  }
  const times = (value: number, power: number) =>
    value === 0 ? 0 : (powers[(powers.indexOf(value) + power) % 255] ?? 0)
  return Array.from({ length: 7 }, (_, root) =>
    words.reduce((sum, word) => times(sum, root) ^ word, 0),
  )
}

it.each(["a", "Edgepost", "otpauth://totp/?"])("holds %s with its correction", (text) => {
  expect(readSmall(qrModules(text))).toEqual({ text, syndromes: [0, 0, 0, 0, 0, 0, 0] })
})

it.each([
  [17, 21],
  [18, 25],
  [200, 53],
  [500, 77],
  [858, 97],
])("takes the smallest size for %i bytes, with three finders", (bytes, size) => {
  const drawn = lines(qrModules("x".repeat(bytes)))
  expect(drawn).toHaveLength(size)
  const corner = (x: number, y: number) => drawn.slice(y, y + 7).map((line) => line.slice(x, x + 7))
  for (const [x, y] of [
    [0, 0],
    [size - 7, 0],
    [0, size - 7],
  ] as const) {
    expect(corner(x, y)).toEqual(FINDER)
  }
})

it("refuses a text that no size holds", () => {
  expect(() => qrModules("x".repeat(859))).toThrow("too long")
})
