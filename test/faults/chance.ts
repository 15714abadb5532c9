/** Draws a number from 0 to 1: the same for the same seed and label, whatever was drawn before. */
export type Draw = (label: string) => number

export const createDraw =
  (seed: number): Draw =>
  (label) => {
    let hash = 0x811c9dc5 ^ Math.imul(seed + 1, 0x9e3779b1)
    for (const character of label) {
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
  }

export const shuffled = <T>(items: readonly T[], draw: Draw, label: string): T[] =>
  items
    .map((item, index) => ({ item, rank: draw(`${label} ${index}`) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
