import type { NightlyPart, Part } from "./parts.ts"

/** The parts of the nightly that guard a changed file. Without a known change, all of them. */
export function triggeredParts(
  parts: readonly NightlyPart[],
  changed: readonly string[] | null,
): Part[] {
  const isGuarded = ({ paths }: NightlyPart) =>
    changed?.some((file) => paths.some((path) => file.startsWith(path))) ?? true
  return parts.filter(isGuarded).map(({ name, command, seconds, short }) => ({
    name,
    ...(short ?? { command, seconds }),
  }))
}
