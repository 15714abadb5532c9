import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { listSegmentContacts } from "./contacts.ts"
import * as contract from "./contract.ts"
import { countFilter } from "./count-filter.ts"
import * as dashboardContract from "./dashboard-contract.ts"
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  updateSegment,
} from "./segments.ts"

export function segmentRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createSegment, (ctx, { json }) => createSegment(ctx, json))
  route(app, contract.listSegments, (ctx, { query }) => listSegments(ctx, query))
  route(app, contract.getSegment, (ctx, { params }) => getSegment(ctx, params.id))
  route(app, contract.updateSegment, (ctx, { params, json }) => updateSegment(ctx, params.id, json))
  route(app, contract.deleteSegment, (ctx, { params }) => deleteSegment(ctx, params.id))
  route(app, contract.listSegmentContacts, (ctx, { params, query }) =>
    listSegmentContacts(ctx, params.id, query),
  )
}

/** Calls that only a session may make. */
export function segmentCountRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboardContract.countFilter, (ctx, { json }) => countFilter(ctx, json))
}
