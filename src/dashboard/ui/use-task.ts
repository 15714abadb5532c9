import { useState } from "react"

/** An action that takes a while: whether it runs, and why it failed. */
export function useTask<A extends unknown[]>(act: (...input: A) => Promise<unknown>) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async (...input: A) => {
    setBusy(true)
    setError(null)
    await act(...input).catch(setError)
    setBusy(false)
  }
  return { busy, error, setError, run }
}
