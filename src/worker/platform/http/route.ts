import { zValidator } from "@hono/zod-validator"
import type { Context, Hono } from "hono"
import * as z from "zod"
import type { Caller, Ctx } from "../context.ts"
import { WrongDatabase } from "../db/databases.ts"
import type { Env } from "../env.ts"
import { encode } from "./encode.ts"
import type { Endpoint, InputOf, OutputOf } from "./endpoint.ts"
import { ApiError } from "./errors.ts"
import { MIB, parseJson, readBody } from "./input/body.ts"
import { withMemoryBudget } from "./input/memory-budget.ts"
import { readInput, readItems } from "./input/read-input.ts"

export type Guarded = Pick<
  Endpoint,
  "name" | "method" | "path" | "access" | "dashboardRole" | "isOwn" | "inDirectory"
>

export interface HttpEnv {
  Bindings: Env
  Variables: {
    requestId: string
    /** What a handler threw. */
    failure: Error | undefined
    /** Set by the guard of the routes: for API keys or for sessions. */
    createCtx: ((endpoint: Guarded) => Promise<Ctx>) | undefined
  }
}

/** Up to this size, a body may be read before the key is checked. The batch that stores it checks the key. */
const READ_BEFORE_AUTHENTICATING = 256 * 1024

const replied = Symbol("replied")

interface Reply<T> {
  [replied]: true
  status: 200
  body: T
}

/** A reply with the endpoint's second status of success. */
export const withStatus = <T>(status: 200, body: T): Reply<T> => ({ [replied]: true, status, body })

type Verb<E extends Endpoint> = (
  ctx: Ctx,
  input: InputOf<E>,
  request: Request,
) => Promise<OutputOf<E> | Reply<OutputOf<E>> | Response>

/** Connects an endpoint to its verb: checks key, permission, size and schema, encodes the reply. */
export function route<E extends Endpoint>(app: Hono<HttpEnv>, endpoint: E, verb: Verb<E>): void {
  app.on(endpoint.method, [endpoint.path], (c) =>
    answer(c, endpoint, async (ctx) => {
      const read = await readRequest(c, endpoint)
      const input = { params: c.req.param(), ...read } as InputOf<E>
      return reply(c, endpoint, await verb(ctx, input, c.req.raw))
    }),
  )
}

/** Answers a call in its context. A wrong key is reported before any other error of the request. */
export const answer = (
  c: Context<HttpEnv>,
  endpoint: Endpoint,
  respond: (ctx: Ctx) => Promise<Response>,
): Promise<Response> => inRightDatabase(() => answerIn(c, endpoint, respond))

/** For calls of no endpoint: checks the key, where the routes have a guard. */
export const checkCaller = (c: Context<HttpEnv>, path: string): Promise<Caller | undefined> =>
  inRightDatabase(async () => {
    const ctx = await c.get("createCtx")?.({ name: "none", method: "GET", path, access: "any" })
    return ctx?.caller()
  })

/** The guard remembers the right database. Nothing was read or written without a checked caller. */
async function inRightDatabase<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof WrongDatabase) return act()
    throw error
  }
}

async function answerIn(
  c: Context<HttpEnv>,
  endpoint: Endpoint,
  respond: (ctx: Ctx) => Promise<Response>,
): Promise<Response> {
  const ctx = await authenticate(c, endpoint)
  try {
    const work = async () => {
      const response = await respond(ctx)
      await ctx.caller()
      return response
    }
    return await withMemoryBudget(bodyBytes(c, endpoint), work, c.req.raw)
  } catch (error) {
    if (error instanceof ApiError) await ctx.caller()
    throw error
  }
}

export function reply<E extends Endpoint>(c: Context, endpoint: E, output: unknown): Response {
  if (output instanceof Response) return output
  const { status, body } = encodeReply(endpoint, output)
  return body === undefined ? c.body(null, status) : Response.json(body, { status })
}

type Wire<E extends Endpoint> = E["response"] extends z.ZodType ? z.input<E["response"]> : undefined

/** A verb's answer with its status, as JSON shows it. */
export function encodeReply<E extends Endpoint>(endpoint: E, output: unknown) {
  const { status, body } = isReply(output) ? output : { status: endpoint.status, body: output }
  const hasBody = endpoint.response && status !== 204
  return { status, body: (hasBody ? encode(endpoint.response!, body) : undefined) as Wire<E> }
}

/** A body without a `content-length` counts as small until it is not. A body over the limit is not kept. */
const bodyBytes = (c: Context, { json, fileType, isStreamed, maxBytes = MIB }: Endpoint) =>
  json || (fileType && !isStreamed)
    ? Math.min(Number(c.req.header("content-length") ?? 0), maxBytes)
    : 0

/** A read checks the key together with its data. A write checks the key first. */
async function authenticate(c: Context<HttpEnv>, endpoint: Endpoint): Promise<Ctx> {
  const createCtx = c.get("createCtx")
  if (!createCtx) throw new Error(`${endpoint.path} is not behind a guard`)
  const ctx = await createCtx(endpoint)
  const length = Number(c.req.header("content-length") ?? (c.req.raw.body ? Infinity : 0))
  const checksInBatch =
    endpoint.method === "GET" ||
    (endpoint.authenticatesItself && length <= READ_BEFORE_AUTHENTICATING)
  if (!checksInBatch) await ctx.caller()
  return ctx
}

/** Checks the size of the body, then reads each part by its schema. */
export async function readRequest(c: Context<HttpEnv>, endpoint: Endpoint) {
  const { query, headers, json, fileType, isStreamed } = endpoint
  const hasBody = json !== undefined || (fileType !== undefined && !isStreamed)
  const body = hasBody ? await readBody(c.req.raw, endpoint.maxBytes ?? MIB) : undefined
  return {
    file: fileType && body,
    json: json && body && readJson(json, endpoint, body),
    query: query && (await valid(c, "query", query)),
    headers: headers && (await valid(c, "header", headers)),
  }
}

function readJson(schema: z.ZodType, { bodyOptional, perItem }: Endpoint, body: Uint8Array) {
  const value = bodyOptional && body.length === 0 ? {} : parseJson(body)
  return perItem && schema instanceof z.ZodArray
    ? readItems(schema as z.ZodArray<z.ZodType>, value)
    : readInput(schema, value)
}

/** A query or the headers by their schema. A repeated parameter is a list, and all schemas refuse lists. */
export async function valid<S extends z.ZodObject>(
  c: Context,
  target: "query" | "header",
  schema: S,
): Promise<z.output<S>> {
  const validationFunction = (_schema: z.ZodObject, value: Record<string, unknown>) => ({
    success: true as const,
    data: readInput(schema, target === "header" ? onlyNamed(schema, value) : value),
  })
  await zValidator(target, schema, undefined, { validationFunction })(c, async () => {})
  return c.req.valid(target as never)
}

/** A call has many headers that no schema names. */
const onlyNamed = ({ shape }: z.ZodObject, headers: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(shape).map((name) => [name, headers[name]]))

const isReply = (value: unknown): value is Reply<never> =>
  typeof value === "object" && value !== null && replied in value
