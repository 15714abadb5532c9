import { useEffect, useState } from "react"

const STILL_AFTER_MS = 150

/** False at first. What rows show only then costs nothing while they pass by in a scrolled list. */
export function useIsStill(): boolean {
  const [isStill, setStill] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setStill(true), STILL_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isStill
}
