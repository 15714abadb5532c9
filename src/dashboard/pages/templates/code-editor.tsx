import { lintGutter, setDiagnostics } from "@codemirror/lint"
import { EditorView } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { BASE, HTML, mount, unmount } from "./code-look.ts"
import type { Finding } from "./findings.ts"

/** As high as the window, as the field that stands here before. Comes first, so that it overrides. */
const TALL = EditorView.theme({
  "&": { height: "max(400px, calc(100dvh - 240px))", maxHeight: "none" },
})

export interface CodeProps {
  label: string
  value: string
  onChange(value: string): void
  language?: "html" | "text"
  findings: readonly Finding[]
}

/** Where somebody writes, as positions in the text. */
export interface Caret {
  anchor: number
  head: number
}

export default function CodeEditor({ caret, ...props }: CodeProps & { caret: Caret | null }) {
  const { label, value, language = "text", findings } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  const start = useRef(caret)

  useEffect(() => {
    const editor = mount(host.current as HTMLDivElement, latest.current.value, [
      TALL,
      ...BASE,
      ...(language === "html" ? HTML : []),
      lintGutter(),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange(update.state.doc.toString())
      }),
      EditorView.domEventHandlers({ blur: (_event, editor) => show(editor, latest.current.value) }),
    ])
    view.current = editor
    if (start.current) {
      const within = (position: number) => Math.min(position, editor.state.doc.length)
      const { anchor, head } = start.current
      editor.dispatch({ selection: { anchor: within(anchor), head: within(head) } })
      editor.focus()
    }
    return () => {
      unmount(editor)
      view.current = null
    }
  }, [label, language])

  useEffect(() => {
    const editor = view.current
    // A value that is rendered late would take away what somebody has just typed.
    if (editor && !editor.hasFocus) show(editor, value)
  }, [value])

  useEffect(() => {
    const editor = view.current
    if (!editor) return
    const { length } = editor.state.doc
    const shown = findings
      .filter(({ to }) => to <= length)
      .map(({ level, ...finding }) => ({ ...finding, severity: level }))
    editor.dispatch(setDiagnostics(editor.state, shown))
  }, [findings])

  return <div ref={host} className="min-w-0 overflow-hidden rounded-md border bg-raised" />
}

function show(editor: EditorView, value: string) {
  if (editor.state.doc.toString() === value) return
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
}
