import Bold from "@tiptap/extension-bold"
import Document from "@tiptap/extension-document"
import HardBreak from "@tiptap/extension-hard-break"
import Italic from "@tiptap/extension-italic"
import Link from "@tiptap/extension-link"
import { BulletList, ListItem, OrderedList } from "@tiptap/extension-list"
import Paragraph from "@tiptap/extension-paragraph"
import Text from "@tiptap/extension-text"
import { Placeholder } from "@tiptap/extensions/placeholder"
import { type Editor, getHTMLFromFragment } from "@tiptap/react"
import { toBlockText } from "./pasted.ts"

/** Undo belongs to the whole message, so the extensions have none of their own. */
const withPlaceholder = (placeholder: string) =>
  Placeholder.configure({ placeholder, showOnlyWhenEditable: false })

/** One line of plain text: a heading, or the label of a button. */
const lineExtensions = (placeholder: string) => [
  Document.extend({ content: "paragraph" }),
  Paragraph,
  Text,
  withPlaceholder(placeholder),
]

/** A text block is lines and lists. Shift+Enter starts a line, Enter an item. */
const richExtensions = (placeholder: string) => [
  Document.extend({ content: "(paragraph | bulletList | orderedList)+" }),
  Paragraph,
  BulletList,
  OrderedList,
  ListItem.extend({ content: "paragraph" }),
  Text,
  Bold,
  Italic,
  HardBreak.extend({
    addKeyboardShortcuts() {
      return {
        "Shift-Enter": () =>
          !this.editor.isActive("listItem") && this.editor.commands.setHardBreak(),
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
  withPlaceholder(placeholder),
]

/** `<strong>`, `<em>`, `<br>`, `<a href>` and lists of them, which the contract allows. */
const markupOf = (editor: Editor) => toMarkup(editor.getHTML())

const toMarkup = (html: string) =>
  html
    .replace(/<ol [^>]*>/g, "<ol>")
    .replaceAll("</p><p>", "<br>")
    .replace(/<\/?p>/g, "")

/** Takes away the text from the caret on, and returns it. */
export function cutRest(editor: Editor): string {
  const { doc, selection, schema } = editor.state
  const rest = getHTMLFromFragment(doc.cut(selection.to).content, schema)
  editor.commands.deleteRange({ from: selection.from, to: doc.content.size })
  return toMarkup(rest).replace(/^<br>/, "")
}

/** The editor keeps what is beside lists in paragraphs. */
const toParagraphs = (html: string) =>
  html
    .split(/(<[uo]l>.*?<\/[uo]l>)/is)
    .map((part, index) => (index % 2 === 1 || part === "" ? part : `<p>${part}</p>`))
    .join("") || "<p></p>"

const toLine = (text: string) => ({
  type: "doc",
  content: [{ type: "paragraph", content: text === "" ? [] : [{ type: "text", text }] }],
})

/** How the editor of each kind of text reads and writes a block's value. */
export const TEXTS = {
  line: {
    extensions: lineExtensions,
    read: (editor: Editor) => editor.state.doc.textContent,
    toContent: toLine,
    props: {
      handlePaste(view: Editor["view"], event: ClipboardEvent) {
        const text = event.clipboardData?.getData("text/plain") ?? ""
        view.dispatch(view.state.tr.insertText(text.trim().replace(/\s+/g, " ")))
        return true
      },
    },
  },
  rich: {
    extensions: richExtensions,
    read: markupOf,
    toContent: toParagraphs,
    props: { transformPastedHTML: toBlockText },
  },
} as const
