import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import {
  createTemplate,
  deleteTemplate,
  getTemplateWithVersions,
  listTemplates,
  renderTemplate,
  updateTemplate,
} from "./templates.ts"

export function templateRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createTemplate, (ctx, { json }) => createTemplate(ctx, json))
  route(app, contract.listTemplates, (ctx, { query }) => listTemplates(ctx, query))
  route(app, contract.getTemplate, (ctx, { params }) =>
    getTemplateWithVersions(ctx, params.slugOrId),
  )
  route(app, contract.updateTemplate, (ctx, { params, json }) =>
    updateTemplate(ctx, params.slugOrId, json),
  )
  route(app, contract.deleteTemplate, (ctx, { params }) => deleteTemplate(ctx, params.slugOrId))
  route(app, contract.renderTemplate, (ctx, { params, json }) =>
    renderTemplate(ctx, params.slugOrId, json.variables),
  )
}
