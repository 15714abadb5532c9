import { dashboardRole, type Endpoint } from "../worker/platform/http/endpoint.ts"
import { ERROR_STATUS, type ErrorCode } from "../worker/platform/http/errors.ts"
import { MIB } from "../worker/platform/http/input/body.ts"
import { commonRefusals } from "../worker/platform/http/openapi/refusals.ts"
import { type Article, type Block, code, type ExampleSet, type Title } from "./blocks.ts"
import { curl, pathParameters } from "./curl.ts"
import { exampleOf, pretty } from "./example.ts"
import { libraryCall } from "./library.ts"
import { type Member, memberList, membersOf, schemaBlocks } from "./members.ts"
import { bodyOf, type Call, isPage } from "./reference.ts"
import { shownRefusal } from "./refusal.ts"
import { list } from "./text.ts"
import { refName, type Schema, typeInWords } from "./words.ts"

type Schemas = Record<string, Schema>

/** One call: its description, with its examples beside it. */
export function callArticle(call: Call, schemas: Schemas): Article {
  const { id, endpoint, baseUrl } = call
  const { method, path, summary, description } = endpoint
  return {
    kind: "article",
    id,
    title: summary,
    call: { method, path: new URL(baseUrl).pathname + path },
    intro: [
      { kind: "prose", text: who(endpoint) },
      ...(description ? [{ kind: "prose", text: description } as const] : []),
    ],
    body: [
      ...parameters(call),
      ...requestBody(call, schemas),
      ...reply(call, schemas),
      ...refusals(endpoint),
    ],
    examples: examplesOf(call, schemas),
  }
}

const KEYS = {
  public: "Public: no key.",
  any: "Any API key.",
  full: "A `full` API key.",
  session: "No API key: the dashboard alone.",
  visitor: "Public: no key, no session.",
}

const WHO = { owner: "an owner", admin: "an owner or admin", member: "any member" }

function who(endpoint: Endpoint): string {
  const { access, path } = endpoint
  const role = WHO[dashboardRole(endpoint)]
  const isOnDashboard = access !== "public" && path !== "/me"
  return `${KEYS[access]}${isOnDashboard ? ` On the dashboard: ${role}.` : ""}`
}

const title = (text: string, more: Omit<Title, "kind" | "title"> = {}): Title => ({
  kind: "title",
  title: text,
  ...more,
})

function parameters({ endpoint, operation }: Call): Block[] {
  const words = new Map(pathParameters(endpoint.path).map((one) => [one.name, one.words]))
  return (["path", "query", "header"] as const).flatMap((where) => {
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
    return members.length === 0 ? [] : [title(TITLES[where]), ...memberList(members)]
  })
}

const TITLES = { path: "Path", query: "Query", header: "Headers" }

/** Shows a named body with the first call that takes it. */
function requestBody({ endpoint, operation, sharesBody }: Call, schemas: Schemas): Block[] {
  const schema = bodyOf(operation)
  if (!schema || isBare(schema)) return []
  const name = refName(schema)
  const isOptional = endpoint.bodyOptional ? " (optional)" : ""
  const mib = (endpoint.maxBytes ?? MIB) / MIB
  const most = mib < 1 ? `${mib * 1024} KiB` : `${mib} MiB`
  return [
    title(`Body${isOptional}${name ? `: ${name}` : ""}`, {
      note: `up to ${most}`,
      ...(name && !sharesBody && { id: `schema-${name}` }),
    }),
    ...(sharesBody
      ? [{ kind: "prose", text: typeInWords(schema) } as const]
      : schemaBlocks((name && schemas[name]) || schema, false)),
  ]
}

const STATUS_WORDS = { 200: "OK", 201: "Created", 202: "Accepted", 204: "No content" }

function reply({ endpoint, operation }: Call, schemas: Schemas): Block[] {
  const { status, alsoStatus, response, responseType } = endpoint
  const statuses = [status, alsoStatus].filter((one) => one !== undefined)
  const shown = alsoStatus ?? status
  const schema =
    operation.responses[response && status === 204 ? shown : status]?.content?.["application/json"]
      ?.schema
  const name = schema && refName(schema)
  const page = name && isPage(name) ? schemas[name] : undefined
  const note = statuses.map((one) => `${one} ${STATUS_WORDS[one]}`).join(" or ")
  const bare = responseType ? `\`${responseType}\`` : "No body."
  return [
    title("Reply", { note, ...(page && { id: `schema-${name}` }) }),
    ...(schema ? replyMembers(page ?? schema) : [{ kind: "prose", text: bare } as const]),
  ]
}

const replyMembers = (schema: Schema): Block[] =>
  refName(schema) ? [{ kind: "prose", text: typeInWords(schema) }] : schemaBlocks(schema, true)

/** The call's own refusals, then those of all calls. */
function refusals(endpoint: Endpoint): Block[] {
  const { refuses = {} } = endpoint
  const expected = commonRefusals(endpoint)
  const own = Object.entries(refuses) as [ErrorCode, string][]
  const common = expected.filter((name) => !refuses[name])
  if (expected.length === 0) return []
  const members = own.map(([name, text]) => ({
    name,
    type: String(ERROR_STATUS[name]),
    notes: [],
    text,
    inside: [],
  }))
  const also = `${own.length > 0 ? "Also" : "Only"} [what others refuse](#errors): ${list(common)}.`
  return [
    title("Refusals"),
    ...(own.length > 0 ? [{ kind: "members", members } as const] : []),
    { kind: "prose", text: also },
  ]
}

function examplesOf(call: Call, schemas: Schemas): ExampleSet[] {
  const { endpoint, baseUrl } = call
  const { summary } = endpoint
  const library = libraryCall(endpoint)
  const shown = exampleReply(call, schemas)
  const refusal = shownRefusal(endpoint)
  const json = (name: number, body: unknown, label: string) => ({
    name: `${name}`,
    code: code(pretty(body), `${label}: ${summary}`, "json"),
  })
  const replies = [
    ...(shown === undefined ? [] : [json(replyStatus(endpoint), shown, "Reply")]),
    ...(refusal ? [json(refusal.status, refusal.body, "Refusal")] : []),
  ]
  return [
    {
      name: "Request",
      choices: [
        { name: "curl", code: code(curl(endpoint, baseUrl), `Request: ${summary}`, "sh") },
        ...(library === null
          ? []
          : [{ name: "JavaScript", code: code(library, `In JavaScript: ${summary}`, "js") }]),
      ],
    },
    ...(replies.length > 0 ? [{ name: "Reply", choices: replies } as const] : []),
  ]
}

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

const isBare = (schema: Schema) => schema.properties !== undefined && membersOf(schema).length === 0
