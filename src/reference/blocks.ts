/** A part of the reference. The page and the Markdown are both written from it. */
export type Block =
  | { kind: "prose"; text: string }
  | { kind: "heading"; id: string; title: string }
  | Title
  | { kind: "table"; head: readonly string[]; rows: readonly (readonly string[])[] }
  | Code
  | { kind: "members"; members: readonly MemberLine[] }
  | { kind: "variant"; title: string; body: readonly Block[] }
  | Article

export interface Title {
  kind: "title"
  title: string
  note?: string
  id?: string
}

export type Language = "sh" | "js" | "json" | "text"

export interface Code {
  kind: "code"
  text: string
  label: string
  language: Language
}

/** One member of an object, or one refusal of a call. Texts are Markdown. */
export interface MemberLine {
  name: string
  type: string
  isRequired?: boolean
  notes: readonly string[]
  text?: string | undefined
  inside: readonly Block[]
}

/** A call or a named schema: the description, with the examples beside it. */
export interface Article {
  kind: "article"
  id: string
  title: string
  call?: { method: string; path: string }
  /** On a narrow screen, this part of the description is above the examples. */
  intro: readonly Block[]
  body: readonly Block[]
  examples: readonly ExampleSet[]
}

/** Examples. On a narrow screen, the page shows one at a time. */
export interface ExampleSet {
  name: "Request" | "Reply" | "Example"
  choices: readonly { name: string; code: Code }[]
}

export interface Section {
  id: string
  title: string
  body: readonly Block[]
}

/** Paragraphs and lists (`- `) in Markdown: `code`, **strong** and [links](#there). */
export const prose = (text: string): Block => ({ kind: "prose", text: text.trim() })

export const heading = (id: string, title: string): Block => ({ kind: "heading", id, title })

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: "table",
  head,
  rows,
})

export const code = (text: string, label: string, language: Language): Code => ({
  kind: "code",
  text,
  label,
  language,
})
