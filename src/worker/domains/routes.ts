import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import { verifyDomain } from "./check.ts"
import * as contract from "./contract.ts"
import * as dashboard from "./dashboard-contract.ts"
import { addDnsRecords } from "./dns/add-records.ts"
import { lookUpDomain } from "./dns/look-up.ts"
import { createDomain, deleteDomain, getDomain, listDomains } from "./domains.ts"

export function domainRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createDomain, (ctx, { json }) => createDomain(ctx, json))
  route(app, contract.listDomains, (ctx, { query }) => listDomains(ctx, query))
  route(app, contract.getDomain, (ctx, { params }) => getDomain(ctx, params.id))
  route(app, contract.updateDomain, async (ctx, { params, json }) => {
    const { updateDomain } = await import("./receive.ts")
    return updateDomain(ctx, params.id, json)
  })
  route(app, contract.verifyDomain, (ctx, { params }) => verifyDomain(ctx, params.id))
  route(app, contract.deleteDomain, (ctx, { params }) => deleteDomain(ctx, params.id))
}

/** For the dashboard only. */
export function domainDnsRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboard.lookUpDomain, (ctx, { params }) => lookUpDomain(ctx, params.id))
  route(app, dashboard.addDnsRecords, (ctx, { params }) => addDnsRecords(ctx, params.id))
}
