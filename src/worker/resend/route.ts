import type { Context, Hono } from "hono"
import * as z from "zod"
import type { Ctx } from "../platform/context.ts"
import type { Endpoint, InputOf } from "../platform/http/endpoint.ts"
import { MIB, parseJson, readBody } from "../platform/http/input/body.ts"
import { readInput } from "../platform/http/input/read-input.ts"
import { answer, encodeReply, type HttpEnv, valid } from "../platform/http/route.ts"

type Body = z.ZodObject | z.ZodArray

export interface Asked<B extends Body, Q extends z.ZodObject> {
  params: Record<string, string>
  query: z.output<Q>
  body: z.output<B>
  header(name: string): string | undefined
}

interface Shapes<B extends Body, Q extends z.ZodObject> {
  /** The members that Resend documents. Their rules are those of our own endpoints. */
  body?: B
  query?: Q
}

/**
 * A call of Resend's API. Permission and size limit are those of one of our endpoints, and `toReply`
 * calls our verbs. Every reply has JSON: without it, the `resend` package reports a failure.
 */
export function serve<B extends Body = z.ZodObject, Q extends z.ZodObject = z.ZodObject>(
  app: Hono<HttpEnv>,
  call: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`,
  endpoint: Endpoint,
  { body, query }: Shapes<B, Q>,
  toReply: (ctx: Ctx, asked: Asked<B, Q>) => Promise<object>,
): void {
  const [method = "", path = ""] = call.split(" ")
  app.on(method, [path], (c) =>
    answer(c, endpoint, async (ctx) => {
      const asked = {
        params: c.req.param(),
        query: (query && (await valid(c, "query", query))) as z.output<Q>,
        body: (body && (await readMembers(c, endpoint, body))) as z.output<B>,
        header: (name: string) => c.req.header(name),
      }
      const status = endpoint.status === 201 ? 201 : 200
      return Response.json(await toReply(ctx, asked), { status })
    }),
  )
}

export const serveRemoval = (
  app: Hono<HttpEnv>,
  path: `/${string}/:id`,
  endpoint: Endpoint,
  object: string,
  remove: (ctx: Ctx, id: string) => Promise<unknown>,
) =>
  serve(app, `DELETE ${path}`, endpoint, {}, async (ctx, { params: { id = "" } }) => {
    await remove(ctx, id)
    return { object, id, deleted: true }
  })

async function readMembers(c: Context<HttpEnv>, { maxBytes }: Endpoint, shape: Body) {
  const bytes = await readBody(c.req.raw, maxBytes ?? MIB)
  const value = bytes.length === 0 ? {} : parseJson(bytes)
  if (c.req.method === "POST") dropNulls(value)
  return readInput(shape, value)
}

/** A list of emails, an email, its list of files, and a file. */
const DEPTH_OF_MEMBERS = 4

/** What is made has no earlier value to remove: a null is what some libraries send for nothing. */
function dropNulls(value: unknown, depth = DEPTH_OF_MEMBERS): void {
  if (typeof value !== "object" || value === null || depth === 0) return
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, depth - 1)
    return
  }
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) {
    if (members[name] === null) delete members[name]
    else dropNulls(members[name], depth - 1)
  }
}

/** PHP writes an empty dictionary as an empty list. */
export const unlessEmptyList = (value: unknown) =>
  Array.isArray(value) && value.length === 0 ? undefined : value

/** Members with any value. The schema of our endpoint checks the values. */
export const members = <const Name extends string>(...names: Name[]) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as Record<
      Name,
      z.ZodOptional<z.ZodUnknown>
    >,
  )

/** The JSON of one of our endpoints, checked by its schema. Absent members stay absent. */
export const toJson = <E extends Endpoint>(endpoint: E, value: object): InputOf<E>["json"] =>
  readInput(endpoint.json as z.ZodType, defined(value)) as InputOf<E>["json"]

export const defined = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

/** A verb's answer in the form of our own API. */
export const shown = <E extends Endpoint>(endpoint: E, output: unknown) =>
  encodeReply(endpoint, output).body
