import type { Hono } from "hono"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "./contract.ts"
import { createLayout, deleteLayout, getLayout, listLayouts, updateLayout } from "./layouts.ts"

export function layoutRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createLayout, (ctx, { json }) => createLayout(ctx, json))
  route(app, contract.listLayouts, (ctx, { query }) => listLayouts(ctx, query))
  route(app, contract.getLayout, (ctx, { params }) => getLayout(ctx, params.id))
  route(app, contract.updateLayout, (ctx, { params, json }) => updateLayout(ctx, params.id, json))
  route(app, contract.deleteLayout, (ctx, { params }) => deleteLayout(ctx, params.id))
}
