import Bold from "@tiptap/extension-bold"
import Document from "@tiptap/extension-document"
import HardBreak from "@tiptap/extension-hard-break"
import Italic from "@tiptap/extension-italic"
import Link from "@tiptap/extension-link"
import { BulletList, ListItem, OrderedList } from "@tiptap/extension-list"
import Paragraph from "@tiptap/extension-paragraph"
import Text from "@tiptap/extension-text"
import { UndoRedo } from "@tiptap/extensions"
import { type Editor, EditorContent, useEditor, useEditorState } from "@tiptap/react"
import {
  Bold as BoldIcon,
  List as BulletsIcon,
  Italic as ItalicIcon,
  Link as LinkIcon,
  ListOrdered as NumbersIcon,
} from "lucide-react"
import { useId, useState } from "react"
import { Button, IconButton } from "../../ui/button.tsx"
import { TextInput } from "../../ui/field.tsx"
import { MergeMenu } from "./merge-menu.tsx"

/** A text block is lines and lists, so Enter starts a line, or an item. */
const EXTENSIONS = [
  Document.extend({ content: "(paragraph | bulletList | orderedList)+" }),
  Paragraph,
  BulletList,
  OrderedList,
  ListItem.extend({ content: "paragraph" }),
  Text,
  Bold,
  Italic,
  UndoRedo,
  HardBreak.extend({
    addKeyboardShortcuts() {
      return {
        Enter: () => !this.editor.isActive("listItem") && this.editor.commands.setHardBreak(),
      }
    },
  }),
  Link.configure({
    autolink: false,
    linkOnPaste: true,
    openOnClick: false,
    defaultProtocol: "https",
    protocols: ["http", "https", "mailto"],
    HTMLAttributes: { target: null, rel: null, class: null },
  }),
]

/** `<strong>`, `<em>`, `<br>`, `<a href>` and lists of them, which the contract allows. */
const markupOf = (editor: Editor) =>
  editor
    .getHTML()
    .replace(/<ol [^>]*>/g, "<ol>")
    .replaceAll("</p><p>", "<br>")
    .replace(/<\/?p>/g, "")

/** The editor keeps what is beside lists in paragraphs. */
const toParagraphs = (html: string) =>
  html
    .split(/(<[uo]l>.*?<\/[uo]l>)/is)
    .map((part, index) => (index % 2 === 1 || part === "" ? part : `<p>${part}</p>`))
    .join("") || "<p></p>"

/** Paragraphs of pasted text become lines. */
const asLines = (html: string) =>
  html
    .replace(/<\/(p|div|h[1-6]|tr|blockquote)>\s*(?=<)/gi, "<br>")
    .replace(/<\/?(p|div|h[1-6]|tr|blockquote)\b[^>]*>/gi, "")

interface Props {
  html: string
  fields: readonly string[]
  problem: string | undefined
  onChange(html: string): void
}

export default function RichText({ html, fields, problem, onChange }: Props) {
  const problemId = useId()
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: toParagraphs(html),
    injectCSS: false,
    autofocus: html === "",
    onUpdate: ({ editor }) => onChange(markupOf(editor)),
    editorProps: {
      transformPastedHTML: asLines,
      attributes: {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": "Text",
        class: "rich-text min-h-24 px-2.5 py-1.5 outline-none",
      },
    },
  })
  // Undo of the whole message may change the text from outside.
  if (!editor.isFocused && markupOf(editor) !== html) {
    queueMicrotask(() => editor.commands.setContent(toParagraphs(html), { emitUpdate: false }))
  }
  return (
    <div className="grid gap-1">
      <div className="rounded-md border focus-within:outline-2 focus-within:outline-focus">
        <Toolbar editor={editor} fields={fields} />
        <EditorContent editor={editor} aria-describedby={problem && problemId} />
      </div>
      {problem && (
        <p id={problemId} role="alert" className="text-xs text-failed">
          {problem}
        </p>
      )}
    </div>
  )
}

function Toolbar({ editor, fields }: { editor: Editor; fields: readonly string[] }) {
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
  const on = "aria-pressed:bg-sunken"
  return (
    <div role="toolbar" aria-label="Format" className="flex flex-wrap items-center border-b p-0.5">
      <IconButton
        label="Bold"
        aria-pressed={active.bold}
        className={on}
        onClick={() => editor.chain().focus().toggleBold().run()}
      >
        <BoldIcon size={14} aria-hidden />
      </IconButton>
      <IconButton
        label="Italic"
        aria-pressed={active.italic}
        className={on}
        onClick={() => editor.chain().focus().toggleItalic().run()}
      >
        <ItalicIcon size={14} aria-hidden />
      </IconButton>
      <IconButton
        label="Link"
        aria-pressed={active.href !== ""}
        className={on}
        onClick={() => setLink(link === null ? active.href : null)}
      >
        <LinkIcon size={14} aria-hidden />
      </IconButton>
      <IconButton
        label="Bulleted list"
        aria-pressed={active.bullets}
        className={on}
        onClick={() => editor.chain().focus().toggleBulletList().run()}
      >
        <BulletsIcon size={14} aria-hidden />
      </IconButton>
      <IconButton
        label="Numbered list"
        aria-pressed={active.numbers}
        className={on}
        onClick={() => editor.chain().focus().toggleOrderedList().run()}
      >
        <NumbersIcon size={14} aria-hidden />
      </IconButton>
      <MergeMenu
        fields={fields}
        onInsert={(text) => editor.chain().focus().insertContent(text).run()}
      />
      {link !== null && (
        <LinkForm
          href={link}
          onDone={(href) => {
            const chain = editor.chain().focus().extendMarkRange("link")
            if (href === "") chain.unsetLink().run()
            else if (editor.state.selection.empty && active.href === "") {
              chain
                .insertContent({
                  type: "text",
                  text: href,
                  marks: [{ type: "link", attrs: { href } }],
                })
                .run()
            } else chain.setLink({ href }).run()
            setLink(null)
          }}
        />
      )}
    </div>
  )
}

function LinkForm({ href, onDone }: { href: string; onDone(href: string): void }) {
  const [text, setText] = useState(href)
  return (
    <div className="flex w-full items-center gap-1 p-1">
      <TextInput
        aria-label="Link address"
        type="url"
        placeholder="https://"
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          event.preventDefault()
          onDone(text.trim())
        }}
      />
      <Button small onClick={() => onDone(text.trim())}>
        {text.trim() === "" ? "Remove link" : "Set link"}
      </Button>
    </div>
  )
}
