import { useEffect } from "react"

export interface UndoRedo {
  undo(): void
  redo(): void
  canUndo: boolean
  canRedo: boolean
}

/** Ctrl/Cmd+Z everywhere but in other fields, whose browser undoes letters there. */
export function useUndoKeys({ undo, redo }: Pick<UndoRedo, "undo" | "redo">) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return
      const key = event.key.toLowerCase()
      const isUndo = key === "z" && !event.shiftKey
      const isRedo = (key === "z" && event.shiftKey) || key === "y"
      if ((!isUndo && !isRedo) || isOtherField(event.target)) return
      event.preventDefault()
      if (isUndo) undo()
      else redo()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [undo, redo])
}

const isOtherField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  /^(INPUT|TEXTAREA)$/.test(target.tagName) &&
  !target.closest("[data-canvas]")
