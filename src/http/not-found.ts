import type { Context } from "hono"
import { ApiError, notFound } from "./errors.ts"
import type { HttpEnv } from "./route.ts"

interface Route {
  method: string
  path: string
}

/** Refuses an unknown path or method. Where a key is required, it checks the key first. */
export async function refuseUnknown(
  c: Context<HttpEnv>,
  routes: readonly Route[],
): Promise<Response> {
  const openCtx = c.get("openCtx")
  if (openCtx) await (await openCtx({ name: "unknown", method: "GET", access: "any" })).caller()
  const methods = routes
    .filter(({ method, path }) => method !== "ALL" && toPattern(path).test(c.req.path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  if (methods.length === 0) throw notFound("Path")
  const allow = [...new Set(methods)].join(", ")
  throw new ApiError("method_not_allowed", `Allowed here: ${allow}.`, undefined, { allow })
}

const toPattern = (path: string) =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[A-Za-z]+/g, "[^/]+")}$`)
