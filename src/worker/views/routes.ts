import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { createView, deleteView, listViews, updateView } from "./views.ts"

/** For the dashboard only. */
export function viewRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createView, (ctx, { json }) => createView(ctx, json))
  route(app, contract.listViews, (ctx, { query }) => listViews(ctx, query))
  route(app, contract.updateView, (ctx, { params, json }) => updateView(ctx, params.id, json))
  route(app, contract.deleteView, (ctx, { params }) => deleteView(ctx, params.id))
}
