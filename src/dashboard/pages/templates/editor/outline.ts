import type { Block } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Design } from "../../../../worker/templates/design-contract.ts"

/** Blocks as lines of text, of which two can be compared. */
export function outlineOf({ blocks, theme, preheader }: Design): string {
  const lines = blocks.flatMap((block) => [...linesOf(block, ""), ""])
  return [
    ...(preheader === null ? [] : [`preheader: ${preheader}`, ""]),
    ...(theme === null ? [] : ["theme", ...membersOf(theme, "  "), ""]),
    ...lines,
  ]
    .join("\n")
    .trimEnd()
}

function linesOf(block: Block, indent: string): string[] {
  const inner = `${indent}  `
  if (block.kind !== "columns") {
    const { kind, ...members } = block
    return [indent + kind, ...membersOf(members, inner)]
  }
  const { kind, columns, ...members } = block
  return [
    indent + kind,
    ...membersOf(members, inner),
    ...columns.flatMap((cells, index) => [
      `${inner}column ${index + 1}`,
      ...cells.flatMap((cell) => linesOf(cell, `${inner}  `)),
    ]),
  ]
}

const membersOf = (members: object, indent: string) =>
  Object.entries(members).map(([name, value]) => `${indent}${name}: ${value}`)
