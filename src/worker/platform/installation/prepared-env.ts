import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import type { HttpEnv } from "../http/route.ts"
import { prepare } from "./prepare.ts"

/** Gives the call the environment with the keys and the URL that nobody has set. */
export const preparedEnv = createMiddleware<HttpEnv>(async (c, next) => {
  c.env = await prepare(c.env, originOf(c))
  await next()
})

export const originOf = ({ req }: Context) => new URL(req.url).origin
