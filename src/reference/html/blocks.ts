import { html } from "hono/html"
import type { Article, Block, Code, ExampleSet, MemberLine, Title } from "../blocks.ts"
import { coloured } from "./colours.ts"
import { type Html, inline, paragraphs } from "./inline.ts"

export const toHtml = (blocks: readonly Block[]): Html => blocks.map(block)

function block(one: Block): Html {
  switch (one.kind) {
    case "prose":
      return paragraphs(one.text)
    case "heading":
      return html`<h3 id="${one.id}">${anchor(one.id, one.title)}</h3>`
    case "title":
      return title(one)
    case "table":
      return table(one.head, one.rows)
    case "code":
      return code(one)
    case "members":
      return html`<dl>${one.members.map(member)}</dl>`
    case "variant":
      return html`<div class="variant"><h4>${inline(one.title)}</h4>${toHtml(one.body)}</div>`
    case "article":
      return article(one)
  }
}

export const anchor = (id: string, content: Html | string): Html =>
  html`<a href="#${id}">${content}</a>`

const title = ({ title, note, id }: Title): Html =>
  html`<h4${id ? html` id="${id}"` : ""}>${title}${note ? html` <span class="note">${note}</span>` : ""}</h4>`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${head.join(", ")}"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`

/** The script adds a button that copies the code. */
const code = ({ text, label, language }: Code, caption?: string): Html =>
  html`<figure class="code">${caption ? html`<figcaption>${caption}</figcaption>` : ""}<pre tabindex="0" role="region" aria-label="${label}"><code>${coloured(text, language)}</code></pre></figure>`

const member = ({ name, type, isRequired, notes, text, inside }: MemberLine): Html =>
  html`<div><dt><code>${name}</code> <span class="type">${inline(type)}</span>${presence(isRequired)}${notes.map(
    (note) => html` <span class="note">${inline(note)}</span>`,
  )}</dt>
<dd>${text ? html`<p>${inline(text)}</p>` : ""}${toHtml(inside)}</dd></div>`

function presence(isRequired: boolean | undefined): Html {
  if (isRequired === undefined) return ""
  return isRequired
    ? html` <span class="required">required</span>`
    : html` <span class="note">optional</span>`
}

const article = ({ id, title, call, intro, body, examples }: Article): Html => html`<article>
<h3 id="${id}">${anchor(id, call ? html`${method(call.method)} ${title}` : html`<code>${title}</code>`)}</h3>
<div class="two"><div class="intro">${call ? html`<p class="path"><code>${breakable(call.path)}</code></p>` : ""}
${toHtml(intro)}</div>
<div class="looks">${examples.map(exampleSet)}</div>
<div class="rest">${toHtml(body)}</div></div>
</article>`

export const method = (name: string): Html =>
  html`<span class="method ${name.toLowerCase()}">${name}</span>`

/** Allows a line break after each slash of a path. */
const breakable = (path: string): Html =>
  path.split(/(?<=\/)/).map((part, index) => html`${index > 1 ? html`<wbr>` : ""}${part}`)

/** Without script, all examples of a set stand below each other. */
const exampleSet = ({ name, choices }: ExampleSet): Html =>
  html`<div class="set" data-set="${name.toLowerCase()}">${choices.map((one) => code(one.code, one.name))}</div>`
