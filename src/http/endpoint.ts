import type * as z from "zod"
import type { ErrorCode } from "./errors.ts"

/**
 * Who may call: `public` needs no key, `any` any live key, `full` a key with full permission.
 * `session` is what only the dashboard does, below `/dashboard/api`; it does the rest there too.
 */
export type EndpointAccess = "public" | "any" | "full" | "session"

/**
 * One call of the API, described once: its route, its checks, its line in the OpenAPI document,
 * the client's types and the tests that loop over the contract all come from this object.
 */
export interface Endpoint {
  /** As the client library calls it: `emails.send`. Also the operation's id in OpenAPI. */
  name: string
  method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below `/api/v1`, with `:name` for a parameter. */
  path: string
  access: EndpointAccess
  summary: string
  /** Reference text beyond the summary, in Markdown. */
  description?: string
  tag: string
  query?: z.ZodObject
  headers?: z.ZodObject
  json?: z.ZodType
  /** No body at all stands for `{}`. */
  bodyOptional?: boolean
  /** The largest body in bytes; 1 MiB unless said otherwise. */
  maxBytes?: number
  /**
   * Who may call it from the dashboard. Unless this says it, a member of the team reads what a key
   * reads, and an owner or admin does the rest.
   */
  dashboardRole?: "admin" | "member"
  /** The body is a list whose refusal names the failing item: `{index, cause}`. */
  perItem?: boolean
  /** The verb checks the key in the batch that does the work. */
  authenticatesItself?: boolean
  /** A POST that may be repeated without harm: clients retry it. */
  retryable?: boolean
  status: 200 | 201 | 202 | 204
  /** A body as the reference shows it; a function, since it may name a time that is ahead. */
  example?: () => unknown
  /** What its reply has otherwise than the example of the record, and than a PATCH's body. */
  exampleReply?: () => object
  /** What the call refuses for reasons of its own, and when. */
  refuses?: Partial<Record<ErrorCode, string>>
  /** A second status of success, with the same body. */
  alsoStatus?: 200
  /** The reply shows a secret: nothing on its way may store it. */
  repliesSecret?: boolean
  /** Absent with 204, and where the reply is no JSON. */
  response?: z.ZodType
  responseType?: "text/event-stream" | "text/html"
}

export const endpoint = <const E extends Endpoint>(definition: E): E => definition

export const dashboardRole = ({
  method,
  access,
  dashboardRole,
}: Pick<Endpoint, "method" | "access" | "dashboardRole">) =>
  dashboardRole ?? (method === "GET" && access !== "session" ? "member" : "admin")

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined

export interface InputOf<E extends Endpoint> {
  params: Record<ParamNames<E["path"]>, string>
  query: Parsed<E["query"]>
  headers: Parsed<E["headers"]>
  json: Parsed<E["json"]>
}

export type OutputOf<E extends Endpoint> =
  | (E["response"] extends z.ZodType ? z.output<E["response"]> : undefined)
  | (E["status"] extends 204 ? undefined : never)

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never
