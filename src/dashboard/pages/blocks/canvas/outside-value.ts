import type { Content, Editor } from "@tiptap/react"
import { useContext, useEffect, useRef } from "react"
import { RestoresContext } from "./canvas-context.ts"

/**
 * A value from outside, such as another tab's, never replaces what somebody types: it waits until
 * the focus leaves. Undo and redo are asked for, so they apply at once. Call the
 * returned function with each typed value, so that its echo is not taken for another tab's change.
 */
export function useOutsideValue(
  editor: Editor,
  value: string,
  toContent: (value: string) => Content,
): (written: string) => void {
  const restores = useContext(RestoresContext)
  const state = useRef({
    shown: value,
    written: new Set<string>(),
    waiting: null as string | null,
    restores,
  }).current

  useEffect(() => {
    const isRestored = restores !== state.restores
    state.restores = restores
    state.waiting = null
    if (value === state.shown) return state.written.clear()
    if (state.written.has(value) && !isRestored) return
    if (isRestored || !editor.isFocused) show(value)
    else state.waiting = value

    function show(value: string) {
      const { from, to } = editor.state.selection
      editor.commands.setContent(toContent(value), { emitUpdate: false })
      const end = editor.state.doc.content.size
      editor.commands.setTextSelection({ from: Math.min(from, end), to: Math.min(to, end) })
      state.shown = value
      state.written.clear()
    }
    const onBlur = () => {
      if (state.waiting !== null) show(state.waiting)
      state.waiting = null
    }
    editor.on("blur", onBlur)
    return () => void editor.off("blur", onBlur)
  }, [editor, value, toContent, restores, state])

  return (written) => {
    state.shown = written
    state.written.add(written)
    state.waiting = null
  }
}
