import { lintGutter, setDiagnostics } from "@codemirror/lint"
import { Transaction } from "@codemirror/state"
import { EditorView, type ViewUpdate } from "@codemirror/view"
import { useEffect, useRef } from "react"
import type { Finding } from "../versions/findings.ts"
import { BASE, HTML, mount, unmount } from "./code-look.ts"

/** As high as the window, as the field that stands here before. Comes first, so that it overrides. */
const TALL = EditorView.theme({
  "&": { height: "var(--pane)", maxHeight: "none" },
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
  /** Texts that the editor reported and that are not rendered yet. */
  const reported = useRef<string[]>([])

  useEffect(() => {
    reported.current = []
    const editor = mount(host.current as HTMLDivElement, latest.current.value, [
      TALL,
      ...BASE,
      ...(language === "html" ? HTML : []),
      lintGutter(),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (!isWritten(update)) return
        const text = update.state.doc.toString()
        reported.current.push(text)
        latest.current.onChange(text)
      }),
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
    if (!editor) return
    // An own text that is rendered late would take away what somebody has typed since.
    const own = reported.current.indexOf(value)
    reported.current = own < 0 ? [] : reported.current.slice(own + 1)
    if (own < 0) show(editor, value)
  }, [value])

  const said = JSON.stringify(findings)
  // To set findings closes the one that somebody reads, so the same ones are not set again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `said` has all of `findings`
  useEffect(() => {
    const editor = view.current
    if (!editor) return
    const { length } = editor.state.doc
    const shown = findings
      .filter(({ to }) => to <= length)
      .map(({ level, ...finding }) => ({ ...finding, severity: level }))
    editor.dispatch(setDiagnostics(editor.state, shown))
  }, [said])

  return <div ref={host} className="min-w-0 overflow-hidden rounded-md border bg-raised" />
}

function show(editor: EditorView, value: string) {
  if (editor.state.doc.toString() === value) return
  editor.dispatch({
    changes: { from: 0, to: editor.state.doc.length, insert: value },
    annotations: Transaction.remote.of(true),
  })
}

const isWritten = ({ docChanged, transactions }: ViewUpdate) =>
  docChanged && !transactions.some((one) => one.annotation(Transaction.remote))
