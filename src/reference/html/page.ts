import { html, raw } from "hono/html"
import { LOGO } from "../../lib/logo.ts"
import type { Section } from "../blocks.ts"
import type { Group } from "../contents.ts"
import { anchor, method, toHtml } from "./blocks.ts"
import { type Html, inline } from "./inline.ts"

export interface PageFiles {
  style: string
  script: string
  /** Fonts that the first screen needs. */
  fonts: readonly string[]
}

/** The page of the reference. All of it can be read without the script. */
export const toPage = async (groups: readonly Group[], files: PageFiles): Promise<string> =>
  String(await frame(groups, files))

const frame = (groups: readonly Group[], files: PageFiles) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Every call of the Edgepost API, with its request, its reply and its refusals.">
<title>Edgepost API reference</title>
<link rel="icon" href="/favicon.ico">
<link rel="alternate" type="text/markdown" href="/docs.md" title="The reference as Markdown">
<link rel="alternate" type="application/json" href="/api/v1/openapi.json" title="The OpenAPI document">
${files.fonts.map((href) => html`<link rel="preload" href="${href}" as="font" type="font/woff2" crossorigin>`)}
<link rel="stylesheet" href="${files.style}">
<script type="module" src="${files.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="side">
<header><a class="brand" href="#content">${raw(LOGO.replace("<svg", '<svg aria-hidden="true" width="26" height="26"'))} Edgepost</a>
<button class="menu" type="button" popovertarget="contents">Contents</button></header>
<nav id="contents" popover aria-label="Contents">
<search hidden><label for="search">Search</label><input id="search" type="search" autocomplete="off" placeholder="Search the reference"><kbd>/</kbd></search>
<p id="found" role="status"></p><ol id="results"></ol>
<div id="tree">${groups.map(tree)}</div>
<ul class="links"><li><a href="/dashboard">Dashboard</a></li><li><a href="/docs.md">Markdown</a></li><li><a href="/api/v1/openapi.json">OpenAPI</a></li></ul>
</nav></div>
<main id="content" tabindex="-1">
<h1>Edgepost API reference</h1>
${groups.map(({ sections }) =>
  sections.map(
    ({ id, title, body }) => html`<section><h2 id="${id}">${anchor(id, title)}</h2>
${toHtml(body)}</section>`,
  ),
)}
</main>
</body>
</html>`

const tree = ({ title, sections }: Group): Html => html`<p class="group">${title}</p>
<ul>${sections.map((one) => html`<li>${anchor(one.id, one.title)}${entries(one)}</li>`)}</ul>`

function entries({ body }: Section): Html {
  const listed = body.flatMap((one) =>
    one.kind === "article" || one.kind === "heading" ? [one] : [],
  )
  if (listed.length === 0) return ""
  return html`<ul>${listed.map((one) => {
    const call = one.kind === "article" ? one.call : undefined
    return html`<li><a href="#${one.id}">${inline(one.title)}${call ? html` ${method(call.method)}` : ""}</a></li>`
  })}</ul>`
}
