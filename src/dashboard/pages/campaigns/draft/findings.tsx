import { Badge } from "../../../ui/badge.tsx"
import type { Finding } from "./check-campaign.ts"

const LEVELS = {
  stop: { state: "failed", label: "Fix" },
  warning: { state: "warning", label: "Warning" },
  ok: { state: "ok", label: "Good" },
}

/** What was checked before a message goes out. */
export const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul aria-label="Checks" className="grid gap-2">
    {findings.map(({ level, text }) => (
      <li key={text} className="grid grid-cols-[80px_minmax(0,1fr)] gap-3">
        <Badge {...LEVELS[level]} />
        <span className="wrap-anywhere">{text}</span>
      </li>
    ))}
  </ul>
)
