import type { Hono } from "hono"
import { bearerKey } from "../access/key-guard.ts"
import { refuseCrossSite } from "../access/session-guard.ts"
import { invalid } from "../platform/http/errors.ts"
import { MIB, parseJson, readBody } from "../platform/http/input/body.ts"
import { checkCaller, type HttpEnv } from "../platform/http/route.ts"
import type { CallApi } from "./call.ts"

/** The protocol's library checks each member several times. An email has fewer than a thousand. */
const MAX_MEMBERS = 10_000

/** The tools of an agent, by the Model Context Protocol. Their calls go through `app`. */
export function mcpRoutes(app: Hono<HttpEnv>): void {
  app.post("/mcp", refuseCrossSite, bearerKey, async (c) => {
    // Checks the key only: the call of a tool is authorized and audited by its own endpoint.
    const caller = await checkCaller(c, "/mcp")
    if (!caller) throw new Error("/mcp is not behind a guard")
    const message = parseJson(await readBody(c.req.raw, MIB), MAX_MEMBERS)
    if (Array.isArray(message)) throw invalid([], "One message in each request")
    const callApi: CallApi = async (path, init) => {
      const headers = {
        authorization: c.req.header("authorization") ?? "",
        "x-request-id": c.get("requestId"),
      }
      return app.fetch(
        new Request(new URL(path, c.req.url), { ...init, headers }),
        c.env,
        c.executionCtx,
      )
    }
    // Loaded on first use, so that the library does not delay the start of the Worker.
    const { answerMessage } = await import("./server.ts")
    return answerMessage(c.req.raw, message, caller, callApi)
  })
}
