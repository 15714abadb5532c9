import { type Editor, EditorContent, useEditor } from "@tiptap/react"
import { useLayoutEffect, useRef } from "react"
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
export function TextBox(props: Props) {
  const { activate } = useCanvas()
  return <TextEditor {...props} onFocus={activate} />
}

interface EditorProps extends Props {
  /** Whether it has the focus from the start. */
  isFocused?: boolean
  onFocus(editor: Editor, kind: Props["kind"]): void
}

/** The same outside of the canvas. */
export function TextEditor(props: EditorProps) {
  const { kind, label, value, placeholder, problemId, isFocused = false, onFocus, ...on } = props
  const { read, toContent, extensions, props: editorProps } = TEXTS[kind]
  const latest = useRef(on)
  latest.current = on
  const editor = useEditor({
    extensions: extensions(placeholder),
    content: toContent(value),
    injectCSS: false,
    onFocus: ({ editor }) => onFocus(editor, kind),
    onUpdate({ editor }) {
      const written = read(editor)
      wrote(written)
      latest.current.onChange(written)
    },
    editorProps: {
      ...editorProps,
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
  // At once: the editor's own way waits for a frame, in which letters would be lost.
  // A busy browser may get another editor once it is shown.
  const shown = useRef<Editor>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each editor
  useLayoutEffect(() => {
    if (!isFocused || editor.isDestroyed) return
    const { doc, selection } = (shown.current ?? editor).state
    editor.commands.setTextSelection(shown.current ? selection.head : doc.content.size)
    shown.current = editor
    editor.view.focus()
    onFocus(editor, kind)
  }, [editor])
  return <EditorContent editor={editor} aria-describedby={problemId} />
}
