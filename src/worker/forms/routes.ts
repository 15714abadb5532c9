import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import * as contract from "./contract.ts"
import { createForm, deleteForm, getForm, listForms, updateForm } from "./forms.ts"

export function formRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createForm, (ctx, { json }) => createForm(ctx, json))
  route(app, contract.listForms, (ctx, { query }) => listForms(ctx, query))
  route(app, contract.getForm, (ctx, { params }) => getForm(ctx, params.id))
  route(app, contract.updateForm, (ctx, { params, json }) => updateForm(ctx, params.id, json))
  route(app, contract.deleteForm, (ctx, { params }) => deleteForm(ctx, params.id))
}
