import { html, raw } from "hono/html"

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  "x-dashboard-role": string
  parameters: { name: string; in: string; description?: string; schema: unknown }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>
}

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

/** The API reference as a page, out of the OpenAPI document. */
export function docsPage(document: unknown) {
  const { servers, paths, components } = document as Document
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const byTag = Map.groupBy(calls, ({ operation }) => operation.tags[0] ?? "")
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Edgepost API reference</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<header>
<h1>Edgepost API reference</h1>
<p>Base URL <code>${servers[0]?.url}</code>. Every call carries
<code>Authorization: Bearer &lt;API_KEY&gt;</code>. Errors are
<code>{"error":{"code","message","details"?}}</code>; <code>x-request-id</code> names the request.
The same as <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.</p>
<p>The dashboard makes the same calls below <code>/dashboard/api</code>, with the cookie of
<code>POST /dashboard/auth/sign-in/email</code> in place of a key.
An owner or admin of the team may make all but <code>/me</code>, a member those marked
<code>member</code>.</p>
<nav aria-label="Sections">${[...byTag.keys()].map((tag) => html`<a href="#${slug(tag)}">${tag}</a> `)}
<a href="#schemas">Schemas</a></nav>
</header>
<main>
${[...byTag].map(
  ([tag, members]) =>
    html`<section id="${slug(tag)}"><h2>${tag}</h2>${members.map(call)}</section>`,
)}
<section id="schemas"><h2>Schemas</h2>${Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="schema-${name}">${name}</h3>${block(schema)}`,
  )}</section>
</main>
</body>
</html>`
}

function call({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  const body = operation.requestBody?.content["application/json"]
  return html`<article id="${operation.operationId}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p>${operation.summary}. <small>${operation["x-dashboard-role"]}</small></p>
${operation.description ? html`<p>${prose(operation.description)}</p>` : ""}
${
  operation.parameters.length > 0
    ? html`<ul>${operation.parameters.map(
        (one) =>
          html`<li><code>${one.name}</code> <small>${one.in}</small> ${prose(one.description ?? "")}</li>`,
      )}</ul>`
    : ""
}
${body ? html`<details><summary>Request body</summary>${block(body.schema)}</details>` : ""}
${Object.entries(operation.responses)
  .filter(([status]) => status !== "default")
  .map(
    ([status, response]) =>
      html`<details><summary>Answer ${status}</summary>${
        response.content ? block(Object.values(response.content)[0]?.schema) : html`<p>No body.</p>`
      }</details>`,
  )}
</article>`
}

const block = (schema: unknown) =>
  html`<pre tabindex="0"><code>${JSON.stringify(schema, (key, value) => (key === "pattern" ? undefined : value), 2)}</code></pre>`

/** Text with its `code` set as code. */
const prose = (text: string) =>
  text.split("`").map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))

const slug = (text: string) => text.toLowerCase().replaceAll(" ", "-")

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:52rem;padding:1.5rem;overflow-wrap:anywhere}
nav a{display:inline-block;margin-right:.75rem;padding:.25rem 0}
article{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.5rem 0}
h2{margin-top:2.5rem}h3{font-size:1.05rem;margin:.75rem 0 .25rem}
.method{display:inline-block;min-width:4rem;font:600 .85rem ui-monospace,monospace}
code,pre{font:.9rem ui-monospace,monospace}
pre{overflow-x:auto;max-height:26rem;padding:.75rem;border-radius:.4rem;background:color-mix(in srgb,currentColor 7%,transparent)}
summary{cursor:pointer;padding:.15rem 0}small{opacity:.75}
`
