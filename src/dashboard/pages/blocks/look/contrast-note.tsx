import type { Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { contrast, READABLE, toLook } from "../../../../worker/campaigns/blocks/look.ts"
import { number } from "../../../ui/numbers.ts"

/** Warns of text that is hard to read on its background. */
export function ContrastNote({ theme }: { theme: Theme | null }) {
  const { textColor, linkColor, cardBackground } = toLook(theme)
  const low = [
    ["Text", contrast(textColor, cardBackground)] as const,
    ["Links", contrast(linkColor, cardBackground)] as const,
  ].filter(([, ratio]) => ratio < READABLE)
  return (
    <div role="status" className="grid gap-1 text-xs text-delayed empty:hidden">
      {low.map(([name, ratio]) => (
        <p key={name}>
          ▲ {name} on the card: contrast {number(Math.floor(ratio * 10) / 10)}. Use at least{" "}
          {number(READABLE)}.
        </p>
      ))}
    </div>
  )
}
