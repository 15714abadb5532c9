import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { HighlightStyle, LRLanguage, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { parser } from "@lezer/html"

const LOOK = EditorView.theme({
  "&": { fontSize: "12px", maxHeight: "560px", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono, monospace)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--raised)",
    color: "var(--muted)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-placeholder-name": {
    backgroundColor: "var(--sunken)",
    borderRadius: "3px",
    fontWeight: "600",
  },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--focus) 30%, transparent) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--failed)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--delayed)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--failed)",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--delayed)",
  },
  ".cm-changedLine": {
    backgroundColor: "color-mix(in oklab, var(--delivered) 12%, transparent) !important",
  },
  ".cm-deletedChunk": {
    backgroundColor: "color-mix(in oklab, var(--failed) 12%, transparent) !important",
  },
})

const COLORS = HighlightStyle.define([
  { tag: tags.angleBracket, color: "var(--muted)" },
  { tag: tags.tagName, color: "var(--code-tag)" },
  { tag: tags.attributeName, color: "var(--code-name)" },
  { tag: tags.attributeValue, color: "var(--code-value)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
])

const matcher = new MatchDecorator({
  regexp: /\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g,
  decoration: Decoration.mark({ class: "cm-placeholder-name" }),
})
const placeholders = ViewPlugin.define(
  (view) => ({
    marks: matcher.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = matcher.updateDeco(update, this.marks)
    },
  }),
  { decorations: ({ marks }) => marks },
)

export const BASE: Extension[] = [
  // So that the keyboard scrolls code that is higher than its field.
  EditorView.contentAttributes.of({ tabindex: "0" }),
  lineNumbers(),
  history(),
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.lineWrapping,
  placeholders,
  LOOK,
]

/** The markup alone: mail has no script, and the parsers of CSS and JavaScript are large. */
export const HTML: Extension[] = [LRLanguage.define({ parser }), syntaxHighlighting(COLORS)]

/**
 * The policy refuses style elements. In a shadow tree CodeMirror adopts style sheets instead, which
 * the policy allows.
 */
export function mount(element: HTMLElement, doc: string, extensions: Extension): EditorView {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" })
  const parent = root.appendChild(document.createElement("div"))
  return new EditorView({ root, parent, doc, extensions })
}

export function unmount(view: EditorView) {
  const parent = view.dom.parentElement
  view.destroy()
  parent?.remove()
}
