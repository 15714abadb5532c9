import { Redo2, Undo2 } from "lucide-react"
import { useMemo } from "react"
import { useShortcuts } from "../../../app/keyboard.ts"
import { IconButton } from "../../../ui/button.tsx"
import type { UndoRedo } from "./undo-keys.ts"

export function UndoButtons({ undo, redo, canUndo, canRedo }: UndoRedo) {
  useShortcuts(
    useMemo(
      () => [
        { keys: "u", label: "Undo", run: undo },
        { keys: "U", label: "Redo", run: redo },
      ],
      [undo, redo],
    ),
  )
  return (
    <div className="flex">
      <IconButton label="Undo" onClick={undo} disabledBecause={!canUndo && "Nothing to undo"}>
        <Undo2 size={16} aria-hidden />
      </IconButton>
      <IconButton label="Redo" onClick={redo} disabledBecause={!canRedo && "Nothing to redo"}>
        <Redo2 size={16} aria-hidden />
      </IconButton>
    </div>
  )
}
