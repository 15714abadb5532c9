import type { Context, Hono } from "hono"
import type { Work } from "../../../platform/context.ts"
import type { Endpoint, InputOf, OutputOf } from "../../../platform/http/endpoint.ts"
import { type HttpEnv, readRequest, reply } from "../../../platform/http/route.ts"
import { createWork } from "../../../platform/work.ts"

/** A caller whose session is not checked. */
export interface Visitor {
  work: Work
  headers: Headers
  /** Empty if the Worker does not run behind Cloudflare's edge. */
  ip: string
}

/** `headers` set cookies, so no cache may store the reply. */
interface Answer<T> {
  body: T
  headers?: Headers | undefined
}

type Verb<E extends Endpoint> = (
  visitor: Visitor,
  input: InputOf<E>,
) => Promise<Answer<OutputOf<E>>>

export const visitorOf = (c: Context<HttpEnv>): Visitor => ({
  work: createWork(c.env, c.executionCtx),
  headers: c.req.raw.headers,
  ip: c.req.header("cf-connecting-ip") ?? "",
})

/** Connects an endpoint that needs no session to its verb. */
export function visit<E extends Endpoint>(app: Hono<HttpEnv>, endpoint: E, verb: Verb<E>): void {
  app.on(endpoint.method, [endpoint.path], async (c) => {
    const read = await readRequest(c, endpoint)
    const input = { params: c.req.param(), ...read } as InputOf<E>
    const { body, headers } = await verb(visitorOf(c), input)
    const response = reply(c, endpoint, body)
    for (const cookie of headers?.getSetCookie() ?? []) {
      response.headers.append("set-cookie", cookie)
    }
    response.headers.set("cache-control", "no-store")
    return response
  })
}
