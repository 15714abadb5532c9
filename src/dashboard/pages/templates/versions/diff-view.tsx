import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { BASE, mount, unmount } from "../editor/code-look.ts"

/** The differences of two texts, line by line. */
export default function DiffView({
  label,
  before,
  after,
}: {
  label: string
  before: string
  after: string
}) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const view = mount(host.current as HTMLDivElement, after, [
      ...BASE,
      EditorState.readOnly.of(true),
      unifiedMergeView({ original: before, mergeControls: false, gutter: true }),
      EditorView.contentAttributes.of({ "aria-label": label }),
    ])
    return () => unmount(view)
  }, [label, before, after])
  return <div ref={host} className="min-w-0 overflow-hidden rounded-md border bg-raised" />
}
