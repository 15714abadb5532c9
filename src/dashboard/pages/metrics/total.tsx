import type { ReactNode } from "react"
import { percent } from "../../ui/numbers.ts"

/** A large number with its share of all, and a line below it. */
export const Total = ({
  share = false,
  detail,
  children,
}: {
  share?: number | false
  detail?: string | false | null
  children: ReactNode
}) => (
  <dd className="grid">
    <span className="flex flex-wrap items-baseline gap-x-2">
      <span className="text-2xl font-semibold tracking-tight">{children}</span>
      {share !== false && <span className="text-xs text-muted">{percent(Math.min(1, share))}</span>}
    </span>
    <span className="min-h-4 text-xs text-muted">{detail}</span>
  </dd>
)
