import { useBlocker } from "@tanstack/react-router"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type * as z from "zod"
import { differences } from "../../../ui/changes.ts"
import { mayLeave } from "../../../ui/dialog/unsaved.ts"
import { enter, inWords } from "../../../ui/form/issue-words.ts"

export const AFTER_MS = 800

export interface Saving {
  /** Fields that the API would refuse, with its messages. They are not saved. */
  invalid: Record<string, string>
  /** Whether something is not saved yet. */
  dirty: boolean
  busy: boolean
  error: unknown
  /** Saves at once. False if that failed. */
  flush(): Promise<boolean>
}

/**
 * Saves the changed fields shortly after the last change. A field that the schema refuses waits;
 * the others are saved. Leaving the page saves first, and asks if a field cannot be saved. With
 * `isManual`, only `flush` saves.
 */
export function useAutosave<T extends object>(
  value: T,
  schema: z.ZodObject,
  save: (changes: Partial<T>) => Promise<unknown>,
  isManual = false,
): Saving {
  const [saved, setSaved] = useState(value)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const invalid = useMemo(() => issuesOf(schema, value), [schema, value])
  const changed = differences(saved, value)
  const dirty = Object.keys(changed).length > 0
  const sendable = Object.fromEntries(
    Object.entries(changed).filter(([field]) => !(field in invalid)),
  ) as Partial<T>
  const latest = useRef({ sendable, save })
  latest.current = { sendable, save }
  const running = useRef<Promise<boolean> | null>(null)

  const flush = useCallback(async () => {
    await running.current
    const { sendable, save } = latest.current
    if (Object.keys(sendable).length === 0) return true
    const saving = (async () => {
      setBusy(true)
      try {
        await save(sendable)
        setSaved((before) => ({ ...before, ...sendable }))
        setError(null)
        return true
      } catch (error) {
        setError(error)
        return false
      } finally {
        setBusy(false)
        running.current = null
      }
    })()
    running.current = saving
    return saving
  }, [])

  const waiting = JSON.stringify(sendable)
  useEffect(() => {
    if (waiting === "{}" || isManual) return
    const timer = setTimeout(flush, AFTER_MS)
    return () => clearTimeout(timer)
  }, [waiting, flush, isManual])

  const isDirty = useRef(dirty)
  isDirty.current = dirty
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // Another tab of the page keeps the changes.
      if (isManual && current.pathname === next.pathname) return false
      if (!isManual) await flush()
      await new Promise((resolve) => setTimeout(resolve))
      return isDirty.current && !(await mayLeave("Leave this page? Some changes are not saved."))
    },
    enableBeforeUnload: () => isDirty.current,
    disabled: !dirty,
  })
  return { invalid, dirty, busy, error, flush }
}

function issuesOf(schema: z.ZodObject, value: object): Record<string, string> {
  const invalid: Record<string, string> = {}
  for (const [field, member] of Object.entries(value)) {
    const issue = schema.shape[field]?.safeParse(member, { error: inWords }).error?.issues[0]
    if (issue) invalid[field] = member === "" ? enter(field) : issue.message
  }
  return invalid
}
