import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { addSuppression, listSuppressions, removeSuppression } from "./suppressions.ts"

export function suppressionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.addSuppression, (ctx, { json }) => addSuppression(ctx, json))
  route(app, contract.importSuppressions, async (ctx, { json }) => {
    const { importSuppressions } = await import("./import.ts")
    return importSuppressions(ctx, json)
  })
  route(app, contract.listSuppressions, (ctx, { query }) => listSuppressions(ctx, query))
  route(app, contract.removeSuppression, (ctx, { params }) => removeSuppression(ctx, params.email))
}

export function restoreRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.restoreSuppression, (ctx, { json }) =>
    addSuppression(ctx, json, "suppressions.restore"),
  )
}
