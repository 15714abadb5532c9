import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as draft from "./draft-contract.ts"
import {
  createTemplateDraft,
  discardTemplateDraft,
  getTemplateDraft,
  listTemplateDrafts,
  saveTemplateDraft,
} from "./drafts.ts"
import { publishTemplate } from "./publish.ts"
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

/** Drafts are the dashboard's: a key publishes at once. */
export function draftRoutes(app: Hono<HttpEnv>): void {
  route(app, draft.createTemplateDraft, (ctx, { json }) => createTemplateDraft(ctx, json))
  route(app, draft.getTemplateDraft, (ctx, { params }) => getTemplateDraft(ctx, params.slugOrId))
  route(app, draft.listTemplateDrafts, (ctx, { query }) => listTemplateDrafts(ctx, query))
  route(app, draft.saveTemplateDraft, (ctx, { params, json }) =>
    saveTemplateDraft(ctx, params.slugOrId, json),
  )
  route(app, draft.discardTemplateDraft, (ctx, { params, query }) =>
    discardTemplateDraft(ctx, params.slugOrId, query.revision),
  )
  route(app, draft.publishTemplate, (ctx, { params, json }) =>
    publishTemplate(ctx, params.slugOrId, json),
  )
}
