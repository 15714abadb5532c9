import { codewordBits, versionFor } from "./qr-codewords.ts"

/**
 * The modules of a QR code (ISO/IEC 18004) of a text: bytes, error correction L, versions 1 to 20.
 * That is enough for 858 bytes, and an `otpauth:` URI has less than 600.
 */
export function qrModules(text: string): boolean[][] {
  const data = new TextEncoder().encode(text)
  const version = versionFor(data.length)
  const bits = codewordBits(data, version)
  const masked = MASKS.map((mask, number) => draw(version, bits, mask, number))
  return masked.reduce((best, one) => (penalty(one) < penalty(best) ? one : best))
}

const sizeOf = (version: number) => 17 + 4 * version

type Mask = (x: number, y: number) => boolean

const MASKS: readonly Mask[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function draw(version: number, bits: readonly number[], mask: Mask, number: number): boolean[][] {
  const size = sizeOf(version)
  const grid = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined))
  const set = (x: number, y: number, dark: boolean) => {
    const row = grid[y]
    if (row && x >= 0 && x < size) row[x] = dark
  }
  drawPatterns(version, set)
  drawFormat(size, number, set)
  let next = 0
  for (const [x, y] of zigzag(size)) {
    if (grid[y]?.[x] === undefined) set(x, y, Boolean(bits[next++]) !== mask(x, y))
  }
  return grid.map((row) => row.map(Boolean))
}

type SetModule = (x: number, y: number, dark: boolean) => void

function drawPatterns(version: number, set: SetModule): void {
  const size = sizeOf(version)
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  const places = alignments(version)
  const last = places.length - 1
  for (const [i, x] of places.entries()) {
    for (const [j, y] of places.entries()) {
      const isFinder = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0)
      if (!isFinder) rings(x, y, 2, (distance) => distance !== 1, set)
    }
  }
  for (const [x, y] of [[3, 3] as const, [size - 4, 3] as const, [3, size - 4] as const]) {
    rings(x, y, 4, (distance) => distance !== 2 && distance !== 4, set)
  }
  if (version >= 7) drawVersion(version, set)
}

function rings(
  x: number,
  y: number,
  radius: number,
  isDark: (distance: number) => boolean,
  set: SetModule,
): void {
  for (let dx = -radius; dx <= radius; dx++) {
    for (let dy = -radius; dy <= radius; dy++) {
      set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
    }
  }
}

function alignments(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const last = sizeOf(version) - 7
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - step * (count - 2 - at))]
}

/** The remainder of a BCH code. */
function bch(value: number, degree: number, polynomial: number): number {
  let rest = value
  for (let index = 0; index < degree; index++) {
    rest = (rest << 1) ^ ((rest >>> (degree - 1)) * polynomial)
  }
  return rest
}

function drawFormat(size: number, mask: number, set: SetModule): void {
  const level = 1
  const data = (level << 3) | mask
  const bits = ((data << 10) | bch(data, 10, 0x537)) ^ 0x5412
  const bit = (at: number) => Boolean((bits >>> at) & 1)
  for (let at = 0; at < 15; at++) {
    const column = at < 6 ? at : at < 8 ? at + 1 : size - 15 + at
    const row = at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at
    set(8, column, bit(at))
    set(row, 8, bit(at))
  }
  set(8, size - 8, true)
}

function drawVersion(version: number, set: SetModule): void {
  const bits = (version << 12) | bch(version, 12, 0x1f25)
  for (let at = 0; at < 18; at++) {
    const dark = Boolean((bits >>> at) & 1)
    const [long, short] = [sizeOf(version) - 11 + (at % 3), Math.floor(at / 3)]
    set(long, short, dark)
    set(short, long, dark)
  }
}

/** Pairs of columns from the right, up and down in turns, without the column of the timing. */
function* zigzag(size: number): Generator<[x: number, y: number]> {
  for (let pair = 0; pair < (size - 1) / 2; pair++) {
    const right = size - 1 - 2 * pair
    const column = right <= 6 ? right - 1 : right
    for (let step = 0; step < size; step++) {
      const y = pair % 2 === 0 ? size - 1 - step : step
      yield [column, y]
      yield [column - 1, y]
    }
  }
}

/** The standard's measure of what readers find hard: runs, blocks, lines like a finder, imbalance. */
function penalty(modules: readonly boolean[][]): number {
  const size = modules.length
  const columns = modules.map((_, x) => modules.map((row) => row[x]))
  const lines = [...modules, ...columns].map((line) => line.map(Number).join(""))
  const count = (pattern: RegExp, weigh: (found: string) => number) =>
    lines.flatMap((line) => line.match(pattern) ?? []).reduce((sum, one) => sum + weigh(one), 0)
  const runs = count(/0{5,}|1{5,}/g, ({ length }) => length - 2)
  const finders = count(/(?=0000(1011101))|(?=(1011101)0000)/g, () => 40)
  let blocks = 0
  for (let y = 1; y < size; y++) {
    for (let x = 1; x < size; x++) {
      const [here, above] = [modules[y], modules[y - 1]]
      const same = [here?.[x - 1], above?.[x], above?.[x - 1]].every((one) => one === here?.[x])
      if (same) blocks += 3
    }
  }
  const dark = modules.flat().filter(Boolean).length
  return runs + finders + blocks + 10 * Math.floor(Math.abs((20 * dark) / size ** 2 - 10))
}
