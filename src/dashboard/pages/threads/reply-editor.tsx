import type { Editor } from "@tiptap/react"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { Button } from "../../ui/button.tsx"
import { sayError } from "../../ui/toast.tsx"
import { RestoresContext } from "../blocks/canvas/canvas-context.ts"
import { useHistory } from "../blocks/canvas/history.ts"
import { TextEditor } from "../blocks/canvas/text-box.tsx"
import { FormatTools } from "../blocks/canvas/text-tools.tsx"
import { useUndoKeys } from "../blocks/canvas/undo-keys.ts"
import { AttachButton, AttachedFiles, useFiles } from "./attached-files.tsx"
import { discard, keepDraft, sendReply } from "./replies.ts"

interface Props {
  threadId: string
  answeredId: string | undefined
  draft: string
  /** Who gets it, and from which address. */
  about: string
  onClose(): void
}

/** The canvas's text editor. What is typed is kept until it was sent. */
export default function ReplyEditor({ threadId, answeredId, draft, about, onClose }: Props) {
  const history = useHistory(draft)
  const { present: html, change } = history
  useUndoKeys(history)
  const [editor, setEditor] = useState<Editor | null>(null)
  useEffect(() => keepDraft(threadId, html, answeredId), [threadId, html, answeredId])
  const files = useFiles(threadId)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" })
  }, [])
  const send = () => {
    if (html === "") return
    sendReply(threadId, html)
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") return onClose()
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    send()
  }
  return (
    <RestoresContext value={history.restores}>
      <section
        ref={box}
        aria-label="Your reply"
        className="scroll-mb-6 rounded-lg border bg-raised"
        onKeyDown={onKeyDown}
      >
        <p className="border-b px-4 py-2 text-muted wrap-anywhere">{about}</p>
        <div className="min-h-32 px-4 py-3 [--mail-link:var(--color-focus)]">
          <TextEditor
            kind="rich"
            label="Reply"
            value={html}
            placeholder="Write a reply"
            isFocused
            onFocus={setEditor}
            onChange={(next) => change(() => next, "text")}
          />
        </div>
        <AttachedFiles {...files} />
        <div className="flex flex-wrap items-center gap-1 border-t p-2">
          {editor && !editor.isDestroyed && <FormatTools editor={editor} />}
          <div className="ml-auto flex flex-wrap gap-2">
            <AttachButton {...files} />
            <Button
              kind="quiet"
              onClick={() => {
                void discard(threadId).catch(sayError)
                onClose()
              }}
            >
              Discard
            </Button>
            <Button
              kind="primary"
              onClick={send}
              disabledBecause={html === "" && "Write a reply first"}
            >
              Send
            </Button>
          </div>
        </div>
      </section>
    </RestoresContext>
  )
}
