import { useEffect, useRef, useState } from "react"
import type * as z from "zod"
import { say } from "../../../ui/toast.tsx"
import { type Saving, useAutosave } from "./autosave.ts"

/**
 * The `key` of an editor, which starts again with what somebody else has saved, or the same person in
 * another tab.
 */
export function useLoads() {
  const [loads, setLoads] = useState(0)
  const onOld = () => {
    setLoads(loads + 1)
    say("Someone else saved changes. You now see the latest version.")
  }
  return { key: loads, onOld }
}

/**
 * Saves a record as `useAutosave` does. A later `saved` than that of the last save here is somebody
 * else's: `onOld` waits until everything is saved here.
 */
export function useSharedAutosave<T extends object, S extends string | number>(
  saved: S,
  value: T,
  schema: z.ZodObject,
  save: (changes: Partial<T>) => Promise<S>,
  onOld: () => void,
  isManual?: boolean,
): Saving {
  const latest = useRef(saved)
  const isOld = useRef(false)
  const keep = async (changes: Partial<T>) => {
    latest.current = await save(changes)
  }
  const saving = useAutosave(value, schema, keep, isManual)
  useEffect(() => {
    if (saved > latest.current) isOld.current = true
    if (isOld.current && !saving.dirty && !saving.busy) onOld()
  })
  return saving
}
