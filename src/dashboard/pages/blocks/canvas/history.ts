import { useCallback, useState } from "react"

export interface History<T> {
  past: readonly T[]
  present: T
  future: readonly T[]
  /** The step of the last change. Changes of the same step soon after belong to it. */
  step: string | undefined
  at: number
  /** Counts undo and redo: see `RestoresContext`. */
  restores: number
}

const MAX_PAST = 200
const ONE_STEP_MS = 1_000

export const historyOf = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  step: undefined,
  at: 0,
  restores: 0,
})

/** Changes of the same `step`, such as the letters of one field, are undone together. */
export function changed<T>(
  before: History<T>,
  next: (present: T) => T,
  step: string | undefined,
  at: number,
): History<T> {
  const present = next(before.present)
  // Nothing changed, so there is nothing to undo.
  if (JSON.stringify(present) === JSON.stringify(before.present)) return before
  const continues = step !== undefined && step === before.step && at - before.at < ONE_STEP_MS
  const past = continues ? before.past : [...before.past, before.present].slice(-MAX_PAST)
  return { ...before, past, present, future: [], step, at }
}

/** A value with undo and redo. */
export function useHistory<T>(initial: T) {
  const [history, setHistory] = useState(() => historyOf(initial))
  const change = useCallback((next: (present: T) => T, step?: string) => {
    const at = Date.now()
    setHistory((before) => changed(before, next, step, at))
  }, [])
  const undo = useCallback(() => setHistory(undone), [])
  const redo = useCallback(() => setHistory(redone), [])
  return {
    present: history.present,
    change,
    undo,
    redo,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    restores: history.restores,
  }
}

export function undone<T>(history: History<T>): History<T> {
  const { past, present, future } = history
  const before = past.at(-1)
  if (before === undefined) return history
  return restored(history, past.slice(0, -1), before, [present, ...future])
}

export function redone<T>(history: History<T>): History<T> {
  const { past, present } = history
  const [next, ...future] = history.future
  if (next === undefined) return history
  return restored(history, [...past, present], next, future)
}

const restored = <T>(
  { restores }: History<T>,
  past: readonly T[],
  present: T,
  future: readonly T[],
): History<T> => ({ ...historyOf(present), past, future, restores: restores + 1 })
