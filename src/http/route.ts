import { zValidator } from "@hono/zod-validator"
import type { Context, Handler, Hono, MiddlewareHandler } from "hono"
import { createMiddleware } from "hono/factory"
import * as z from "zod"
import type { $ZodIssue } from "zod/v4/core"
import type { Ctx, Env } from "../env.ts"
import { MIB, readBody } from "./body.ts"
import type { Endpoint, InputOf, OutputOf } from "./endpoint.ts"
import { ApiError, invalidIssues, toIssues } from "./errors.ts"

/** What a guard has to know of an endpoint. */
export type Guarded = Pick<Endpoint, "method" | "access" | "dashboardRole">

export interface HttpEnv {
  Bindings: Env
  Variables: {
    requestId: string
    /** Set by what guards the routes: an API key, or a session. */
    openCtx: ((endpoint: Guarded) => Promise<Ctx>) | undefined
    ctx: Ctx
  }
}

/** Bodies up to this size are read before the key is: it is checked in the batch that stores them. */
const READ_BEFORE_AUTHENTICATING = 256 * 1024

const replied = Symbol("replied")

interface Reply<T> {
  [replied]: true
  status: 200
  body: T
}

/** A reply with the endpoint's other status of success. */
export const also = <T>(status: 200, body: T): Reply<T> => ({ [replied]: true, status, body })

type Verb<E extends Endpoint> = (
  ctx: Ctx,
  input: InputOf<E>,
) => Promise<OutputOf<E> | Reply<OutputOf<E>> | Response>

/** Wires an endpoint to its verb: key, permission, size, schema, then the reply by its schema. */
export function route<E extends Endpoint>(app: Hono<HttpEnv>, endpoint: E, verb: Verb<E>): void {
  const handlers: MiddlewareHandler<HttpEnv>[] = [authenticate(endpoint)]
  if (endpoint.json) handlers.push(jsonBody(endpoint), validate("json", endpoint.json, endpoint))
  if (endpoint.query) handlers.push(validate("query", endpoint.query, endpoint))
  if (endpoint.headers) handlers.push(validate("header", endpoint.headers, endpoint))

  const answer: Handler<HttpEnv> = async (c) => {
    const ctx = c.get("ctx")
    const input = {
      params: c.req.param(),
      query: endpoint.query && c.req.valid("query" as never),
      headers: endpoint.headers && c.req.valid("header" as never),
      json: endpoint.json && c.req.valid("json" as never),
    } as unknown as InputOf<E>
    const output = await verb(ctx, input).catch(async (error) => {
      throw error instanceof ApiError ? await keyFirst(ctx, error) : error
    })
    await ctx.caller()
    if (output instanceof Response) return output
    const { status, body } = isReply(output) ? output : { status: endpoint.status, body: output }
    if (!endpoint.response || status === 204) return c.body(null, status)
    return Response.json(z.encode(endpoint.response, body), {
      status,
      headers: endpoint.repliesSecret ? { "cache-control": "no-store" } : {},
    })
  }
  app.on(endpoint.method, [endpoint.path], ...handlers, answer)
}

/** Reads check the key with their data; whatever writes knows its caller first. */
function authenticate(endpoint: Endpoint) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const openCtx = c.get("openCtx")
    if (!openCtx) throw new Error(`${endpoint.path} is not behind a guard`)
    const ctx = await openCtx(endpoint)
    c.set("ctx", ctx)
    const length = Number(c.req.header("content-length") ?? (c.req.raw.body ? Infinity : 0))
    const later =
      endpoint.method === "GET" ||
      (endpoint.authenticatesItself && length <= READ_BEFORE_AUTHENTICATING)
    if (!later) await ctx.caller()
    await next()
  })
}

/** The body is JSON whatever its content type says, and is measured before it is parsed. */
function jsonBody(endpoint: Endpoint) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    try {
      const read = await readBody(c.req.raw, endpoint.maxBytes ?? MIB)
      const body = read.length === 0 && endpoint.bodyOptional ? "{}" : read
      const headers = new Headers(c.req.raw.headers)
      headers.set("content-type", "application/json")
      c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body })
      await c.req.json().catch(() => {
        throw invalidIssues([{ path: [], message: "The body must be valid JSON" }])
      })
    } catch (error) {
      throw await keyFirst(c.get("ctx"), error)
    }
    await next()
  })
}

function validate(target: "json" | "query" | "header", schema: z.ZodType, endpoint: Endpoint) {
  return zValidator(target, schema, async (result, c) => {
    if (result.success) return
    const issues = result.error.issues as $ZodIssue[]
    const ctx = (c as unknown as Context<HttpEnv>).get("ctx")
    throw await keyFirst(ctx, endpoint.perItem ? refuseItem(issues) : refuse(issues))
  }) as unknown as MiddlewareHandler<HttpEnv>
}

/** Whatever is wrong with a request, a wrong key is said first. */
async function keyFirst(ctx: Ctx, error: unknown): Promise<unknown> {
  await ctx.caller()
  return error
}

const refuse = (issues: $ZodIssue[]) => invalidIssues(toIssues(issues))

/** Names the first failing item of a list; `cause` is what the item alone would be refused with. */
function refuseItem(issues: $ZodIssue[]): ApiError {
  const all = toIssues(issues)
  const index = all[0]?.path[0]
  if (typeof index !== "number") return invalidIssues(all)
  const cause = all
    .filter(({ path }) => path[0] === index)
    .map(({ path, message }) => ({ path: path.slice(1), message }))
  return atIndex(index, invalidIssues(cause))
}

/** The refusal of one item as the refusal of its list. */
export const atIndex = (index: number, error: ApiError) =>
  new ApiError(error.code, error.message, { index, cause: error.details })

const isReply = (value: unknown): value is Reply<never> =>
  typeof value === "object" && value !== null && replied in value
