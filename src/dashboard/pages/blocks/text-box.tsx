import { EditorContent, useEditor } from "@tiptap/react"
import { useRef } from "react"
import { useCanvas } from "./canvas-context.ts"
import { useOutsideValue } from "./outside-value.ts"
import { cutRest, TEXTS } from "./text-extensions.ts"

interface Props {
  kind: keyof typeof TEXTS
  /** What a screen reader says: "Heading". */
  label: string
  value: string
  placeholder: string
  /** The id of the text that says what is wrong. */
  problemId?: string | undefined
  onChange(value: string): void
  /** Enter, with the text behind the caret, and Backspace in an empty text belong to the block. */
  onEnter?(rest: string): void
  onBackspace?(): void
  /** A slash where a word may begin. */
  onSlash?(): void
}

/** A text of a block, typed where it stands. */
export function TextBox({ kind, label, value, placeholder, problemId, ...on }: Props) {
  const { read, toContent, extensions, props } = TEXTS[kind]
  const latest = useRef(on)
  latest.current = on
  const { activate } = useCanvas()
  const editor = useEditor({
    extensions: extensions(placeholder),
    content: toContent(value),
    injectCSS: false,
    onFocus: ({ editor }) => activate(editor, kind),
    onUpdate({ editor }) {
      const written = read(editor)
      wrote(written)
      latest.current.onChange(written)
    },
    editorProps: {
      ...props,
      handleTextInput: (view, _from, _to, text) => {
        const { onSlash } = latest.current
        const { $from } = view.state.selection
        const before = $from.parent.textBetween(0, $from.parentOffset, "", " ")
        if (text !== "/" || !onSlash || !/(^|\s)$/.test(before)) return false
        onSlash()
        return true
      },
      handleKeyDown(view, event) {
        const { onEnter, onBackspace } = latest.current
        const isEmpty = view.state.doc.textContent === "" && view.state.doc.content.size <= 2
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
        const isEnter = event.key === "Enter" && !event.shiftKey && !editor.isActive("listItem")
        if (event.key === "Backspace" && isEmpty && onBackspace) onBackspace()
        else if (isEnter && onEnter) onEnter(kind === "rich" ? cutRest(editor) : "")
        else return false
        return true
      },
      attributes: {
        role: "textbox",
        "aria-multiline": String(kind === "rich"),
        "aria-label": label,
        class: "mail-text outline-none",
      },
    },
  })
  const wrote = useOutsideValue(editor, value, toContent)
  return <EditorContent editor={editor} aria-describedby={problemId} />
}
