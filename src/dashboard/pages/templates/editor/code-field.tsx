import { type ComponentType, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { loadCode } from "../../../app/load-code.ts"
import type { Caret, CodeProps } from "./code-editor.tsx"

/** Plain text until the editor's code has come, which is large. */
export function CodeField(props: CodeProps) {
  const { label, value, onChange } = props
  const plain = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<Caret>(null)
  const [Editor, setEditor] = useState<ComponentType<CodeProps & { caret: Caret | null }>>()
  const load = async () => {
    const { default: CodeEditor } = await loadCode(() => import("./code-editor.tsx"))
    const field = plain.current
    // Whoever types meanwhile goes on at the same place.
    if (field && field === document.activeElement) {
      caret.current = { anchor: field.selectionStart, head: field.selectionEnd }
    }
    // At once, with what was typed so far: a key between field and editor would be lost.
    flushSync(() => setEditor(() => CodeEditor))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once
  useEffect(() => {
    load()
  }, [])
  if (Editor) return <Editor {...props} caret={caret.current} />
  return (
    <textarea
      ref={plain}
      aria-label={label}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="block h-[calc(var(--pane)+2px)] w-full resize-none rounded-md border bg-raised py-1 pr-1.5 pl-10 font-mono text-xs/[1.4]"
    />
  )
}
