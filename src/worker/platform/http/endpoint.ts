import type * as z from "zod"
import type { ErrorCode } from "./errors.ts"

/**
 * Who may call: `public` needs no key, `any` a live key, `full` a key with full permission.
 * `session` endpoints exist only below `/dashboard/api`, where the dashboard also finds all others.
 * `visitor` endpoints exist only below `/dashboard/auth`, and need no session.
 */
export type EndpointAccess = "public" | "any" | "full" | "session" | "visitor"

/**
 * One call of the API. The route, its checks, the OpenAPI document, the client's types and the
 * tests that loop over the contract come from this object.
 */
export interface Endpoint {
  /** The name in the client library, such as `emails.send`, and the operation's id in OpenAPI. */
  name: string
  method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below `/api/v1`, with `:name` for a parameter. */
  path: string
  access: EndpointAccess
  summary: string
  /** More text for the reference, in Markdown. */
  description?: string
  tag: string
  query?: z.ZodObject
  headers?: z.ZodObject
  json?: z.ZodType
  /** The media type of a body that is a file of up to `maxBytes`. It is not checked. */
  fileType?: "image/*" | "message/rfc822"
  /** The verb reads the file from the request, since it may be large. */
  isStreamed?: true
  /** A missing body means `{}`. */
  bodyOptional?: boolean
  /** The largest body in bytes; 1 MiB unless said otherwise. */
  maxBytes?: number
  /**
   * Who may call it from the dashboard. By default, members may read what keys read, and owners and
   * admins may call everything.
   */
  dashboardRole?: "owner" | "admin" | "member"
  /** Concerns the person and not the team, so it needs no second factor that the team requires. */
  isOwn?: true
  /** A read of people: all of it is in the directory, wherever the team's data is. */
  inDirectory?: true
  /** The body is a list. A refusal names the failing item: `{index, cause}`. */
  perItem?: boolean
  /** The verb checks the key in the batch that does the work. */
  authenticatesItself?: boolean
  /** A POST that clients may repeat without harm. */
  retryable?: boolean
  status: 200 | 201 | 202 | 204
  /** The body that the reference shows. A function, since it may contain a time in the future. */
  example?: () => unknown
  /** The query that the reference shows, where the call needs one. */
  exampleQuery?: Record<string, string>
  /**
   * The members in which the example reply differs from the record's example and a PATCH's body.
   */
  exampleReply?: () => object
  /** When the call answers these codes, apart from the common reasons. */
  refuses?: Partial<Record<ErrorCode, string>>
  /** A second status of success. */
  alsoStatus?: 200
  /** Absent with status 204 and for replies that are not JSON. */
  response?: z.ZodType
  responseType?: "text/event-stream" | "text/html" | "message/rfc822" | "application/octet-stream"
}

type Status = Endpoint["status"]

/** As a contract writes it. The status is 200 for a reply with a body, else 204. */
interface Definition extends Omit<Endpoint, "method" | "path" | "status"> {
  call: `${Endpoint["method"]} /${string}`
  status?: Status
}

type Defined<D extends Definition> = Omit<D, "call" | "status"> & {
  method: D["call"] extends `${infer Method extends Endpoint["method"]} ${string}` ? Method : never
  path: D["call"] extends `${string} ${infer Path}` ? Path : never
  status: D extends { status: infer S extends Status }
    ? S
    : D extends { response: unknown } | { responseType: unknown }
      ? 200
      : 204
}

export function endpoint<const D extends Definition>({ call, ...definition }: D): Defined<D> {
  const [method, path] = call.split(" ")
  const hasBody = definition.response !== undefined || definition.responseType !== undefined
  return { status: hasBody ? 200 : 204, ...definition, method, path } as never
}

/** The names of a path's parameters. */
export const paramNames = (path: string): string[] => path.match(/(?<=:)[A-Za-z]+/g) ?? []

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
  file: E extends { fileType: string; isStreamed?: never } ? Uint8Array : undefined
}

export type OutputOf<E extends Endpoint> =
  | (E["response"] extends z.ZodType ? z.output<E["response"]> : undefined)
  | (E["status"] extends 204 ? undefined : never)

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never
