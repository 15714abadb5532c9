import type { Editor } from "@tiptap/react"
import { createContext, useContext } from "react"
import type { Draft, Kind } from "../draft/draft.ts"
import { blockActions } from "./block-actions.ts"
import type { BlockCanvasProps } from "./canvas.tsx"
import type { Uploads } from "./uploads.ts"

interface CanvasState {
  blocks: readonly Draft[]
  selected: string | null
}

/** Stays the same while the canvas is shown, so that a letter draws one block again, not all. */
export interface Canvas {
  /** What may be added. */
  kinds: readonly Kind[]
  read(): CanvasState
  change: BlockCanvasProps["onChange"]
  select(key: string | null): void
  /** Read out by screen readers. */
  announce(text: string): void
  /** The text with the focus, for the toolbar. */
  activate(editor: Editor, kind: "line" | "rich"): void
  /** Opens the menu of kinds at a text. */
  openSlashMenu(key: string): void
  /** Focuses the settings of the selected block. */
  openSettings(): void
  uploads: Uploads
}

/** Counts undo and redo, which replace even the text that has the focus. */
export const RestoresContext = createContext(0)

export const CanvasContext = createContext<Canvas | null>(null)

export function useCanvas(): Canvas {
  const canvas = useContext(CanvasContext)
  if (!canvas) throw new Error("Outside of the canvas")
  return canvas
}

export const useUpload = (key: string) => useCanvas().uploads.useUpload(key)

export const useBlockActions = () => blockActions(useCanvas())
