import { type Editor, useEditorState } from "@tiptap/react"
import { Bold, Italic, Link, List, ListOrdered, type LucideIcon } from "lucide-react"
import { useState } from "react"
import { Button, IconButton } from "../../../ui/button.tsx"
import { TextInput } from "../../../ui/form/field.tsx"
import { MergeMenu } from "./merge-menu.tsx"

export interface ActiveText {
  editor: Editor
  kind: "line" | "rich"
}

/** The tools of the text that is edited: its format, and merge fields. */
export function TextTools({ editor, kind, fields }: ActiveText & { fields: readonly string[] }) {
  return (
    <>
      {kind === "rich" && <FormatTools editor={editor} />}
      <MergeMenu
        fields={fields}
        onInsert={(text) => editor.chain().focus().insertContent({ type: "text", text }).run()}
      />
    </>
  )
}

export function FormatTools({ editor }: { editor: Editor }) {
  const [link, setLink] = useState<string | null>(null)
  const active = useEditorState({
    editor,
    selector: ({ editor }) => ({
      bold: editor.isActive("bold"),
      italic: editor.isActive("italic"),
      bullets: editor.isActive("bulletList"),
      numbers: editor.isActive("orderedList"),
      href: String(editor.getAttributes("link").href ?? ""),
    }),
  })
  const run = (command: "toggleBold" | "toggleItalic" | "toggleBulletList" | "toggleOrderedList") =>
    editor.chain().focus()[command]().run()
  return (
    <>
      <Tool label="Bold" icon={Bold} on={active.bold} run={() => run("toggleBold")} />
      <Tool label="Italic" icon={Italic} on={active.italic} run={() => run("toggleItalic")} />
      <Tool
        label="Link"
        icon={Link}
        on={active.href !== ""}
        run={() => setLink(link === null ? active.href : null)}
      />
      <Tool
        label="Bulleted list"
        icon={List}
        on={active.bullets}
        run={() => run("toggleBulletList")}
      />
      <Tool
        label="Numbered list"
        icon={ListOrdered}
        on={active.numbers}
        run={() => run("toggleOrderedList")}
      />
      {link !== null && (
        <LinkForm
          href={link}
          onDone={(href) => {
            if (href !== null) setHref(editor, href, active.href)
            else editor.commands.focus()
            setLink(null)
          }}
        />
      )}
    </>
  )
}

function setHref(editor: Editor, href: string, before: string) {
  const chain = editor.chain().focus().extendMarkRange("link")
  if (href === "") chain.unsetLink().run()
  else if (editor.state.selection.empty && before === "") {
    chain
      .insertContent({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] })
      .run()
  } else chain.setLink({ href }).run()
}

function Tool({
  label,
  icon: Icon,
  on,
  run,
}: {
  label: string
  icon: LucideIcon
  on: boolean
  run(): void
}) {
  return (
    <IconButton label={label} aria-pressed={on} className="aria-pressed:bg-sunken" onClick={run}>
      <Icon size={14} aria-hidden />
    </IconButton>
  )
}

function LinkForm({ href, onDone }: { href: string; onDone(href: string | null): void }) {
  const [text, setText] = useState(href)
  return (
    <div className="order-last flex w-full items-center gap-1">
      <TextInput
        aria-label="Link address"
        type="url"
        placeholder="https://"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return
          event.preventDefault()
          // The text around it would be sent or closed.
          event.stopPropagation()
          onDone(event.key === "Enter" ? text.trim() : null)
        }}
      />
      <Button small onClick={() => onDone(text.trim())}>
        {text.trim() === "" ? "Remove link" : "Set link"}
      </Button>
    </div>
  )
}
