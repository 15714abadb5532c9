import { useEffect, useRef, useState } from "react"
import type * as z from "zod"
import { say } from "../../ui/toast.tsx"
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

/** Saves a record as `useAutosave` does. `onOld` waits until everything is saved here. */
export function useSharedAutosave<T extends object>(
  record: { updatedAt: string },
  value: T,
  schema: z.ZodObject,
  save: (changes: Partial<T>) => Promise<{ updatedAt: string }>,
  onOld: () => void,
): Saving {
  const savedAt = useRef(record.updatedAt)
  const isOld = useRef(false)
  const saving = useAutosave(value, schema, async (changes) => {
    savedAt.current = (await save(changes)).updatedAt
  })
  useEffect(() => {
    if (record.updatedAt > savedAt.current) isOld.current = true
    if (isOld.current && !saving.dirty && !saving.busy) onOld()
  })
  return saving
}
