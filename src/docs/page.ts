import { html, raw } from "hono/html"
import {
  API_PREFIX,
  AUTH_PREFIX,
  DASHBOARD_PREFIX,
  dashboardEndpoints,
  endpoints,
} from "../contract.ts"
import { exampleTimeAhead } from "../http/example.ts"
import { callArticle } from "./calls.ts"
import { exampleOf, pretty } from "./example.ts"
import { GUIDES } from "./guides.ts"
import { schemaBlock } from "./members.ts"
import { type Chapter, type Reference, readReference } from "./reference.ts"
import { startSections } from "./start.ts"
import { STYLE } from "./style.ts"
import { dashboardIntroduction, INTRODUCTIONS } from "./tags.ts"
import { code, type Html, heading, inline, prose, slug } from "./text.ts"

export interface Section {
  id: string
  title: string
  body: Html
}

let kept = { key: "", page: "" }

/** The page of the API reference. It depends only on the origin and the day. */
export async function docsPage(origin: string): Promise<string> {
  const key = `${exampleTimeAhead()} ${origin}`
  if (kept.key !== key) kept = { key, page: String(await renderPage(origin)) }
  return kept.page
}

/** Renders the contract, which takes a Worker about 50 ms. */
function renderPage(origin: string) {
  const apiUrl = origin + API_PREFIX
  const reference = readReference([
    { endpoints, baseUrl: apiUrl },
    { endpoints: dashboardEndpoints, baseUrl: origin + DASHBOARD_PREFIX },
  ])
  const isDashboard = ({ calls }: Chapter) => calls[0]?.endpoint.access === "session"
  const groups = [
    { title: "Start", sections: startSections(apiUrl, reference.schemas) },
    {
      title: "API",
      sections: reference.chapters
        .filter((one) => !isDashboard(one))
        .map((one) => chapterSection(one, reference)),
    },
    { title: "Guides", sections: GUIDES },
    {
      title: "Dashboard",
      sections: [
        dashboardIntroduction(origin + AUTH_PREFIX, origin + DASHBOARD_PREFIX),
        ...reference.chapters.filter(isDashboard).map((one) => chapterSection(one, reference)),
      ],
    },
  ]
  return frame(groups)
}

interface Listed extends Section {
  entries?: { id: string; title: string }[]
}

function chapterSection({ tag, calls, schemas }: Chapter, reference: Reference): Listed {
  const id = slug(tag)
  const bodies = new Set(calls.flatMap(({ operation }) => bodyName(operation.requestBody) ?? []))
  const objects = schemas.filter((name) => !bodies.has(name))
  return {
    id,
    title: tag,
    body: html`${prose(INTRODUCTIONS[tag] ?? "")}
${calls.map((call) => callArticle(call, reference.schemas))}
${objects.map((name) => objectArticle(name, reference.schemas))}`,
    entries: [
      ...calls.map((call) => ({ id: call.id, title: call.endpoint.summary })),
      ...objects.map((name) => ({ id: `schema-${name}`, title: name })),
    ],
  }
}

const bodyName = (body: object | undefined) =>
  /"schema":\{"\$ref":"[^"]*\/([^"/]+)"/.exec(JSON.stringify(body ?? ""))?.[1]

function objectArticle(name: string, schemas: Reference["schemas"]): Html {
  const schema = schemas[name] ?? {}
  return html`<article>${heading(3, `schema-${name}`, html`<code>${name}</code>`)}
<div class="two"><div>${schemaBlock(schema, true)}</div>
<div class="looks">${schema.example === undefined ? "" : code(pretty(exampleOf(schema, schemas)), `Example: ${name}`)}</div></div></article>`
}

interface Group {
  title: string
  sections: Listed[]
}

const frame = (groups: readonly Group[]) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Edgepost API reference</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav id="contents" aria-label="Contents"><p class="brand"><a href="#content">Edgepost</a></p>
${groups.map(
  ({ title, sections }) => html`<p class="group">${title}</p>
<ul>${sections.map(
    (one) => html`<li><a href="#${one.id}">${one.title}</a>${entries(one)}</li>`,
  )}</ul>`,
)}</nav>
<main id="content">
<h1>Edgepost API reference</h1>
${groups.map(({ sections }) =>
  sections.map(
    ({ id, title, body }) => html`<section>${heading(2, id, title)}
${body}</section>`,
  ),
)}
</main>
<a class="up" href="#contents">Contents</a>
</body>
</html>`

const entries = ({ entries: listed = [] }: Listed): Html =>
  listed.length === 0
    ? ""
    : html`<ul>${listed.map(({ id, title }) => html`<li><a href="#${id}">${inline(title)}</a></li>`)}</ul>`
