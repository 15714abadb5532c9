import { html } from "hono/html"
import type { Language } from "../blocks.ts"
import type { Html } from "./inline.ts"

/** By language: a pattern for each class. The first one that matches counts. */
const WORDS: Record<Language, RegExp> = {
  json: /(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*")|(?<value>\b(?:true|false|null)\b|-?\b\d[\d.]*\b)/g,
  js: /(?<note>\/\/.*)|(?<text>"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<key>\b[A-Za-z_]\w*(?=: ))|(?<word>\b(?:import|from|export|const|let|return|function|async|await|for|of|if|new|try|catch|throw|instanceof)\b)|(?<value>\b(?:true|false|null)\b|\b\d[\d_.]*\b)/g,
  sh: /(?<note>(?<=^|\s)#.*)|(?<body>'[^']*')|(?<text>"[^"]*")|(?<word>(?<=\s)-{1,2}[A-Za-z][\w-]*)|(?<key>(?<=^|\n)(?:curl|export|npm|npx)\b)/g,
  text: /(?!)/g,
}

/** Code as HTML, with a span around each word that has a colour. */
export function coloured(text: string, language: Language): Html {
  const parts: Html[] = []
  let end = 0
  for (const match of text.matchAll(WORDS[language])) {
    const [name, word = ""] = Object.entries(match.groups ?? {}).find(([, one]) => one) ?? []
    parts.push(html`${text.slice(end, match.index)}`)
    parts.push(
      name === "body" ? coloured(word, "json") : html`<span class="${name ?? ""}">${word}</span>`,
    )
    end = match.index + match[0].length
  }
  parts.push(html`${text.slice(end)}`)
  return parts
}
