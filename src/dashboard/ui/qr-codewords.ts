/** The codewords of a QR code (ISO/IEC 18004): bytes, error correction L, versions 1 to 20. */

/** The smallest version that holds so many bytes. */
export function versionFor(bytes: number): number {
  const version = VERSIONS.findIndex((_, index) => bytes <= capacity(index + 1)) + 1
  if (version === 0) throw new Error("The text is too long for a QR code")
  return version
}

/** By version: bytes of error correction in a block, and blocks. */
const VERSIONS = [
  [7, 1],
  [10, 1],
  [15, 1],
  [20, 1],
  [26, 1],
  [18, 2],
  [20, 2],
  [24, 2],
  [30, 2],
  [18, 4],
  [20, 4],
  [24, 4],
  [26, 4],
  [30, 4],
  [22, 6],
  [24, 6],
  [28, 6],
  [30, 6],
  [28, 7],
  [28, 8],
] as const

const blocksOf = (version: number) => VERSIONS[version - 1] ?? [0, 1]

/** All codewords that fit beside the patterns. */
function rawBytes(version: number): number {
  const aligned = Math.floor(version / 7) + 2
  const patterns = version === 1 ? 0 : (25 * aligned - 10) * aligned - 55
  const all = (16 * version + 128) * version + 64
  return Math.floor((all - patterns - (version >= 7 ? 36 : 0)) / 8)
}

const dataBytes = (version: number) => {
  const [correction, blocks] = blocksOf(version)
  return rawBytes(version) - correction * blocks
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16)
const capacity = (version: number) =>
  Math.floor((8 * dataBytes(version) - 4 - lengthBits(version)) / 8)

const toBits = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (value >>> (count - 1 - index)) & 1)

/** The bits of all codewords in the order in which they are placed. */
export function codewordBits(data: Uint8Array, version: number): number[] {
  const size = dataBytes(version)
  const bits = [
    ...[0, 1, 0, 0],
    ...toBits(data.length, lengthBits(version)),
    ...[...data].flatMap((byte) => toBits(byte, 8)),
  ]
  bits.push(...Array(Math.min(4, 8 * size - bits.length)).fill(0))
  bits.push(...Array(-bits.length & 7).fill(0))
  const words = Array.from({ length: bits.length / 8 }, (_, index) =>
    Number.parseInt(bits.slice(8 * index, 8 * index + 8).join(""), 2),
  )
  for (let pad = 0xec; words.length < size; pad ^= 0xec ^ 0x11) words.push(pad)
  return interleaved(words, version).flatMap((byte) => toBits(byte, 8))
}

/** The later blocks may have one byte of data more than the first ones. */
function interleaved(words: readonly number[], version: number): number[] {
  const [correction, blocks] = blocksOf(version)
  const short = Math.floor(words.length / blocks)
  const longer = words.length % blocks
  const divisor = generator(correction)
  let from = 0
  const parts = Array.from({ length: blocks }, (_, index) => {
    const part = words.slice(from, from + short + (index >= blocks - longer ? 1 : 0))
    from += part.length
    return { part, check: remainder(part, divisor) }
  })
  const inTurns = (lists: number[][]) =>
    Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, index) =>
      lists.flatMap((list) => list[index] ?? []),
    ).flat()
  return [...inTurns(parts.map(({ part }) => part)), ...inTurns(parts.map(({ check }) => check))]
}

/** In the field of 256 elements with the polynomial 0x11d. */
function multiply(x: number, y: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product >>> 7 ? 0x11d : 0)
    if ((y >>> bit) & 1) product ^= x
  }
  return product
}

function generator(degree: number): number[] {
  let result = [1]
  for (let index = 0, root = 1; index < degree; index++, root = multiply(root, 2)) {
    const shifted = [...result, 0]
    result = shifted.map((value, at) => value ^ multiply(result[at - 1] ?? 0, root))
  }
  return result.slice(1)
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let rest = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0)
    rest = [...rest.slice(1), 0].map((value, at) => value ^ multiply(divisor[at] ?? 0, factor))
  }
  return rest
}
