import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as draft from "./draft-contract.ts"
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

const drafts = () => import("./drafts.ts")
const publishing = () => import("./publish.ts")

/** Drafts are the dashboard's: a key publishes at once. Their code is loaded when it is first used. */
export function draftRoutes(app: Hono<HttpEnv>): void {
  route(app, draft.createTemplateDraft, async (ctx, { json }) =>
    (await drafts()).createTemplateDraft(ctx, json),
  )
  route(app, draft.getTemplateDraft, async (ctx, { params }) =>
    (await drafts()).getTemplateDraft(ctx, params.slugOrId),
  )
  route(app, draft.listTemplateDrafts, async (ctx, { query }) =>
    (await drafts()).listTemplateDrafts(ctx, query),
  )
  route(app, draft.saveTemplateDraft, async (ctx, { params, json }) =>
    (await drafts()).saveTemplateDraft(ctx, params.slugOrId, json),
  )
  route(app, draft.discardTemplateDraft, async (ctx, { params, query }) =>
    (await drafts()).discardTemplateDraft(ctx, params.slugOrId, query.revision),
  )
  route(app, draft.publishTemplate, async (ctx, { params, json }) =>
    (await publishing()).publishTemplate(ctx, params.slugOrId, json),
  )
}
