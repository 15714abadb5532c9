import { useEffect, useState } from "react"
import { hint } from "../button.tsx"
import { exactTime, relativeTime } from "./times.ts"

const REFRESH_MS = 10_000

/** Shows a relative time. Hover and focus show the exact time with its zone. */
export function Time({ at }: { at: string | null | undefined }) {
  useTick()
  if (!at) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} {...hint(exactTime(at))} className="whitespace-nowrap">
      {relativeTime(at)}
    </time>
  )
}

const listeners = new Set<() => void>()
setInterval(() => {
  for (const listener of listeners) listener()
}, REFRESH_MS)

/** One timer for all times on the page. */
function useTick() {
  const [, tick] = useState(0)
  useEffect(() => {
    const listener = () => tick((count) => count + 1)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
}
