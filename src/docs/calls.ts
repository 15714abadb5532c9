import { html } from "hono/html"
import { dashboardRole, type Endpoint } from "../http/endpoint.ts"
import { ERROR_STATUS, type ErrorCode } from "../http/errors.ts"
import { commonRefusals } from "../http/refusals.ts"
import { curl, pathParameters } from "./curl.ts"
import { exampleOf, pretty } from "./example.ts"
import { libraryCall } from "./library.ts"
import { type Member, memberList, membersOf, schemaBlock } from "./members.ts"
import { bodyOf, type Call, isPage } from "./reference.ts"
import { code, type Html, heading, inline, list, prose } from "./text.ts"
import { refName, type Schema, typeInWords } from "./words.ts"

type Schemas = Record<string, Schema>

/** One call: its description on the left, its example on the right. */
export function callArticle(call: Call, schemas: Schemas): Html {
  const { id, endpoint } = call
  const { method, path, summary, description } = endpoint
  return html`<article>
${heading(3, id, summary)}
<p class="line"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
<div class="two"><div>
<p class="who">${who(endpoint)}</p>
${description ? prose(description) : ""}
${parameters(call)}
${requestBody(call, schemas)}
${reply(call, schemas)}
${refusals(endpoint)}
</div><div class="looks">${looks(call, schemas)}</div></div>
</article>`
}

/** Allows a line break after each slash of a path. */
const breakable = (path: string): Html =>
  path.split(/(?<=\/)/).map((part, index) => html`${index > 0 ? html`<wbr>` : ""}${part}`)

const KEYS = {
  public: "Public: no key.",
  any: "Any API key.",
  full: "A `full` API key.",
  session: "No API key: the dashboard alone.",
  visitor: "Public: no key, no session.",
}

const WHO = { owner: "an owner", admin: "an owner or admin", member: "any member" }

function who(endpoint: Endpoint): Html {
  const { access, path } = endpoint
  const role = WHO[dashboardRole(endpoint)]
  const isOnDashboard = access !== "public" && path !== "/me"
  return inline(`${KEYS[access]}${isOnDashboard ? ` On the dashboard: ${role}.` : ""}`)
}

function parameters({ endpoint, operation }: Call): Html {
  const words = new Map(pathParameters(endpoint.path).map((one) => [one.name, one.words]))
  return (["path", "query", "header"] as const).map((where) => {
    const members = operation.parameters
      .filter((one) => one.in === where)
      .map(
        ({ name, description, schema }): Member => ({
          name,
          schema,
          ...(where !== "path" && { isRequired: false }),
          description: words.get(name) ?? description,
        }),
      )
    return members.length === 0 ? "" : html`<h4>${TITLES[where]}</h4>${memberList(members)}`
  })
}

const TITLES = { path: "Path", query: "Query", header: "Headers" }

/** Shows a named body with the first call that takes it. */
function requestBody({ endpoint, operation, sharesBody }: Call, schemas: Schemas): Html {
  const schema = bodyOf(operation)
  if (!schema || isBare(schema)) return ""
  const name = refName(schema)
  const isOptional = endpoint.bodyOptional ? " (optional)" : ""
  const mib = (endpoint.maxBytes ?? MIB) / MIB
  const most = mib < 1 ? `${mib * 1024} KiB` : `${mib} MiB`
  const isShownHere = name && !sharesBody
  return html`<h4${isShownHere ? html` id="schema-${name}"` : ""}>Body${isOptional}${name ? html`: ${name}` : ""} <span class="note">up to ${most}</span></h4>
${sharesBody ? html`<p>${typeInWords(schema)}</p>` : schemaBlock((name && schemas[name]) || schema, false)}`
}

const MIB = 1024 * 1024

const STATUS_WORDS = { 200: "OK", 201: "Created", 202: "Accepted", 204: "No content" }

function reply({ endpoint, operation }: Call, schemas: Schemas): Html {
  const { status, alsoStatus, response, responseType } = endpoint
  const statuses = [status, alsoStatus].filter((one) => one !== undefined)
  const shown = alsoStatus ?? status
  const schema =
    operation.responses[response && status === 204 ? shown : status]?.content?.["application/json"]
      ?.schema
  const name = schema && refName(schema)
  const page = name && isPage(name) ? schemas[name] : undefined
  return html`<h4${page ? html` id="schema-${name}"` : ""}>Reply ${statuses.map((one, index) => html`${index > 0 ? " or " : ""}<span class="status">${one} ${STATUS_WORDS[one]}</span>`)}</h4>
${schema ? replyMembers(page ?? schema) : html`<p>${responseType ? html`<code>${responseType}</code>` : "No body."}</p>`}`
}

const replyMembers = (schema: Schema): Html =>
  refName(schema) ? html`<p>${typeInWords(schema)}</p>` : schemaBlock(schema, true)

/** The common refusals of such a call, then its own reasons. */
function refusals(endpoint: Endpoint): Html {
  const { refuses = {} } = endpoint
  const expected = commonRefusals(endpoint)
  const own = Object.entries(refuses) as [ErrorCode, string][]
  const common = expected.filter((name) => !refuses[name])
  if (expected.length === 0) return ""
  return html`<h4>Refusals</h4>
${
  own.length > 0
    ? html`<dl>${own.map(
        ([name, when]) =>
          html`<div><dt><span class="status">${ERROR_STATUS[name]}</span> <code>${name}</code></dt><dd><p>${inline(when)}</p></dd></div>`,
      )}</dl>`
    : ""
}<p class="small">${inline(`${own.length > 0 ? "Also" : "Only"} [what others refuse](#errors): ${list(common)}.`)}</p>`
}

function looks(call: Call, schemas: Schemas): Html {
  const { endpoint, baseUrl } = call
  const { summary } = endpoint
  const reply = exampleReply(call, schemas)
  const library = libraryCall(endpoint)
  return [
    code(curl(endpoint, baseUrl), `Request: ${summary}`),
    library === null
      ? ""
      : html`<p class="caption">JavaScript</p>${code(library, `In JavaScript: ${summary}`)}`,
    reply === undefined
      ? ""
      : html`<p class="caption">${replyStatus(endpoint)}</p>${code(pretty(reply), `Reply: ${summary}`)}`,
  ]
}

/** The status whose reply has a body. */
const replyStatus = ({ status, alsoStatus }: Endpoint) =>
  status === 204 && alsoStatus ? alsoStatus : status

/** The example of the record, with the changes that this call makes. */
export function exampleReply({ endpoint, operation }: Call, schemas: Schemas): unknown {
  const { content } = operation.responses[replyStatus(endpoint)] ?? {}
  const schema = content?.["application/json"]?.schema
  if (!schema) return undefined
  const example = exampleOf(schema, schemas)
  const body = endpoint.method === "PATCH" ? endpoint.example?.() : undefined
  const changes = { ...(body as object | undefined), ...endpoint.exampleReply?.() }
  return Object.keys(changes).length > 0 ? { ...(example as object), ...changes } : example
}

/** An object without members. */
const isBare = (schema: Schema) => schema.properties !== undefined && membersOf(schema).length === 0
