import type { Hono } from "hono"
import { type HttpEnv, route } from "../http/route.ts"
import { verifyDomain } from "./check.ts"
import * as contract from "./contract.ts"
import { createDomain, deleteDomain, getDomain, listDomains } from "./domains.ts"

export function domainRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createDomain, (ctx, { json }) => createDomain(ctx, json))
  route(app, contract.listDomains, (ctx, { query }) => listDomains(ctx, query))
  route(app, contract.getDomain, (ctx, { params }) => getDomain(ctx, params.id))
  route(app, contract.verifyDomain, (ctx, { params }) => verifyDomain(ctx, params.id))
  route(app, contract.deleteDomain, (ctx, { params }) => deleteDomain(ctx, params.id))
}
