import * as z from "zod"
import { readRetryAfter } from "../../lib/retry-after.ts"
import { SECOND_MS } from "../../lib/time.ts"
import { ApiError } from "../platform/http/errors.ts"
import { readInput } from "../platform/http/input/read-input.ts"
import { API_PREFIX } from "../prefixes.ts"
import type { Tool } from "./tools.ts"

/** Makes a call of the API with the caller's key. */
export type CallApi = (path: string, init: Call) => Promise<Response>

interface Call {
  method: string
  body: string | null
}

export interface Answer {
  isOk: boolean
  value: unknown
}

/** Calls the endpoint of a tool. All rules are in the endpoint; a tool only has fewer inputs. */
export async function callTool(tool: Tool, given: object, callApi: CallApi): Promise<Answer> {
  const args = Object.entries(given).map(tool.endpoint.json ? asGiven : asQuery)
  try {
    readInput(tool.input, Object.fromEntries(args))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, details } = error
    return { isOk: false, value: { code, message, details } }
  }
  const known = args.filter(([name]) => Object.hasOwn(tool.input.shape, name))
  return readAnswer(await callApi(...toCall(tool, known)), tool)
}

type Argument = [name: string, value: unknown]

const asGiven = (argument: Argument): Argument => argument

/** The schemas of a query expect text. */
const asQuery = ([name, value]: Argument): Argument => [
  name,
  typeof value === "number" || typeof value === "boolean" ? String(value) : value,
]

function toCall({ endpoint }: Tool, args: Argument[]): Parameters<CallApi> {
  const rest = new Map(args)
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const { method } = endpoint
  if (endpoint.json) {
    return [API_PREFIX + path, { method, body: JSON.stringify(Object.fromEntries(rest)) }]
  }
  const query = new URLSearchParams(
    [...rest].flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  )
  return [`${API_PREFIX}${path}?${query}`, { method, body: null }]
}

async function readAnswer(response: Response, tool: Tool): Promise<Answer> {
  const body = (await response.json()) as { error?: object }
  if (response.ok) return { isOk: true, value: membersOf(tool, body) }
  const waitMs = readRetryAfter(response.headers.get("retry-after"))
  const retryAfterSeconds = waitMs === null ? undefined : waitMs / SECOND_MS
  return { isOk: false, value: { ...body.error, retryAfterSeconds } }
}

/** A tool may leave out members of the call's answer. */
function membersOf({ endpoint: { response } }: Tool, body: object): object {
  if (!(response instanceof z.ZodObject)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => name in response.shape))
}
