import { type ComponentType, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { loadCode } from "../../app/load-code.ts"
import type { Caret, CodeProps } from "./code-editor.tsx"

/** Plain text until the field gets the focus or has a problem, since the editor's code is large. */
export function CodeField(props: CodeProps) {
  const { label, value, onChange, findings } = props
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
  const hasProblem = findings.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a problem is shown once it is there
  useEffect(() => {
    if (hasProblem) load()
  }, [hasProblem])
  if (Editor) return <Editor {...props} caret={caret.current} />
  return (
    <textarea
      ref={plain}
      aria-label={label}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onFocus={load}
      onPointerEnter={load}
      className="block h-[max(402px,calc(100dvh-238px))] w-full resize-none rounded-md border bg-raised py-1 pr-1.5 pl-10 font-mono text-xs/[1.4]"
    />
  )
}
