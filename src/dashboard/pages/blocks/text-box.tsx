import { EditorContent, useEditor } from "@tiptap/react"
import { useRef } from "react"
import { useCanvas } from "./canvas-context.ts"
import { useOutsideValue } from "./outside-value.ts"
import { TEXTS } from "./text-extensions.ts"

interface Props {
  kind: keyof typeof TEXTS
  /** What a screen reader says: "Heading". */
  label: string
  value: string
  placeholder: string
  /** The id of the text that says what is wrong. */
  problemId?: string | undefined
  onChange(value: string): void
  /** Enter in a line, and Backspace in an empty text, belong to the block. */
  onEnter?(): void
  onBackspace?(): void
  /** In an empty text. Without it a slash is a slash. */
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
        if (text !== "/" || !onSlash || view.state.doc.textContent !== "") return false
        if (view.state.doc.childCount > 1 || view.state.doc.firstChild?.type.name !== "paragraph")
          return false
        onSlash()
        return true
      },
      handleKeyDown(view, event) {
        const { onEnter, onBackspace } = latest.current
        const isEmpty = view.state.doc.textContent === "" && view.state.doc.content.size <= 2
        const run =
          event.key === "Enter" ? onEnter : event.key === "Backspace" && isEmpty && onBackspace
        if (!run || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
          return false
        run()
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
