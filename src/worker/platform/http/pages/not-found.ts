import type { Context, Hono } from "hono"
import { ApiError, notFound } from "../errors.ts"
import { checkCaller, type HttpEnv } from "../route.ts"

interface Route {
  method: string
  path: string
}

/** Refuses an unknown path or method. Where a key is required, it checks the key first. */
export async function refuseUnknown(
  c: Context<HttpEnv>,
  routes: readonly Route[],
): Promise<Response> {
  await checkCaller(c, "an unknown path")
  const matching = routes.filter(
    ({ method, path }) => method !== "ALL" && toPattern(path).test(c.req.path),
  )
  const fewest = Math.min(...matching.map(({ path }) => countParameters(path)))
  const methods = matching
    .filter(({ path }) => countParameters(path) === fewest)
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  if (methods.length === 0) throw notFound("Path")
  const allow = [...new Set(methods)].join(", ")
  throw new ApiError("method_not_allowed", `Allowed here: ${allow}.`, undefined, { allow })
}

/** These paths accept POST only. Routes such as `/emails/:id` must not handle their other methods. */
export function onlyPost(app: Hono<HttpEnv>, paths: string[]): void {
  for (const path of paths) {
    app.all(path, (c, next) => (c.req.method === "POST" ? next() : c.notFound()))
  }
}

const countParameters = (path: string) => path.split("/:").length - 1

const toPattern = (path: string) =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[A-Za-z]+/g, "[^/]+")}$`)
