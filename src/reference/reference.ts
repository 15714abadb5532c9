import type { Endpoint } from "../worker/platform/http/endpoint.ts"
import { createOpenApi, openApiPath } from "../worker/platform/http/openapi/openapi.ts"
import { refName, type Schema } from "./words.ts"

interface Operation {
  parameters: { name: string; in: string; description?: string; schema: Schema }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}

/** One call: its endpoint and its operation in the OpenAPI document. */
export interface Call {
  id: string
  endpoint: Endpoint
  operation: Operation
  baseUrl: string
  /** An earlier call shows the members of the body that this one takes too. */
  sharesBody: boolean
}

/** The calls of one tag, and the named schemas that first appear in them. */
export interface Chapter {
  tag: string
  calls: Call[]
  schemas: string[]
}

export interface Reference {
  schemas: Record<string, Schema>
  chapters: Chapter[]
}

/** The anchor of a call on the page. */
export const callId = ({ name }: Endpoint) => `call-${name}`

export function readReference(endpoints: readonly Endpoint[], baseUrl: string): Reference {
  const document = createOpenApi(endpoints, baseUrl)
  const { schemas } = document.components as { schemas: Record<string, Schema> }
  const paths = document.paths as Record<string, Record<string, Operation>>
  const bodies = new Set<string>()
  const calls = endpoints.map((endpoint): Call => {
    const operation = paths[openApiPath(endpoint)]?.[endpoint.method.toLowerCase()] as Operation
    const body = refName(bodyOf(operation) ?? {})
    const sharesBody = body !== undefined && bodies.has(body)
    if (body) bodies.add(body)
    return { id: callId(endpoint), endpoint, operation, baseUrl, sharesBody }
  })
  const shown = new Set(["Error"])
  const byTag = Map.groupBy(calls, ({ endpoint }) => endpoint.tag)
  const chapters = [...byTag].map(([tag, members]) => {
    const fresh = namesIn(
      members.map(({ operation }) => operation),
      schemas,
    ).filter((name) => !shown.has(name) && !isPage(name))
    for (const name of fresh) shown.add(name)
    return { tag, calls: members, schemas: fresh }
  })
  return { schemas, chapters }
}

export const bodyOf = ({ requestBody }: Operation) =>
  requestBody?.content["application/json"]?.schema

/** The schema of a list's page is shown with its call. */
export const isPage = (name: string) => name.endsWith("Page")

/** The named schemas that a value refers to, directly or through others. */
function namesIn(value: unknown, schemas: Record<string, Schema>, found = new Set<string>()) {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/"\$ref":"[^"]*\/([^"/]+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    namesIn(schemas[name], schemas, found)
  }
  return [...found]
}
