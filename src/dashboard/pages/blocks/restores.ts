import { useMemo, useState } from "react"
import { useUndoKeys } from "./undo-keys.ts"

interface History {
  undo(): void
  redo(): void
  canUndo: boolean
  canRedo: boolean
}

/** Undo and redo, counted: see `RestoresContext`. */
export function useRestores({ undo, redo, canUndo, canRedo }: History) {
  const [restores, setRestores] = useState(0)
  const counted = useMemo(() => {
    const count = (restore: () => void) => () => {
      restore()
      setRestores((before) => before + 1)
    }
    return { undo: count(undo), redo: count(redo) }
  }, [undo, redo])
  useUndoKeys(counted)
  return { restores, history: { ...counted, canUndo, canRedo } }
}
