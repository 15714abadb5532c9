import type { Hono } from "hono"
import * as z from "zod"
import { orNotFound } from "../platform/http/errors.ts"
import { readItems } from "../platform/http/input/read-input.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import * as contract from "../suppressions/contract.ts"
import {
  addSuppression,
  addSuppressions,
  getSuppression,
  listSuppressions,
  removeSuppressions,
} from "../suppressions/suppressions.ts"
import type { Wire } from "../webhooks/resend-records.ts"
import { unsupported } from "./errors.ts"
import { listQuery, toList, toPageQuery } from "./lists.ts"
import { members, serve, shown, toJson } from "./route.ts"

const MAX_BATCH = 100

const { addSuppression: add, listSuppressions: list, removeSuppression: remove } = contract

export function suppressionRoutes(app: Hono<HttpEnv>): void {
  serve(app, "POST /suppressions", add, { body: members("email") }, async (ctx, { body }) => ({
    object: "suppression",
    id: (await addSuppression(ctx, toJson(add, body))).id,
  }))
  const query = listQuery.extend({ origin: z.string().optional() })
  serve(app, "GET /suppressions", list, { query }, async (ctx, { query: { origin, ...page } }) => {
    if (origin !== undefined) throw unsupported("origin", "The list has all suppressions.")
    const suppressions = await listSuppressions(ctx, toPageQuery(page))
    return toList(shown(list, suppressions), toSuppression)
  })
  serve(app, "GET /suppressions/:id", list, {}, async (ctx, { params }) => {
    const suppression = await getSuppression(ctx, params.id!)
    return { object: "suppression", ...toSuppression(shown(add, suppression)) }
  })
  serve(app, "DELETE /suppressions/:id", remove, {}, async (ctx, { params }) => {
    const [removed] = await removeSuppressions(ctx, [params.id!])
    return toRemoved(orNotFound(removed, "Suppression"))
  })
  batchRoutes(app)
}

function batchRoutes(app: Hono<HttpEnv>): void {
  const emails = z.array(z.unknown()).min(1).max(MAX_BATCH)
  const body = z.object({ emails })
  serve(app, "POST /suppressions/batch/add", add, { body }, async (ctx, { body }) => {
    const inputs = readItems(
      z.array(add.json),
      body.emails.map((email) => ({ email })),
    )
    const added = await addSuppressions(ctx, inputs)
    return { data: added.map(({ id }) => ({ object: "suppression", id })) }
  })
  const texts = z.array(z.string()).max(MAX_BATCH).optional()
  const which = z.object({ emails: texts, ids: texts })
  serve(app, "POST /suppressions/batch/remove", remove, { body: which }, async (ctx, { body }) => {
    const removed = await removeSuppressions(ctx, body.emails ?? body.ids ?? [])
    return { data: removed.map(toRemoved) }
  })
}

const toRemoved = ({ id }: { id: string }) => ({ object: "suppression", id, deleted: true })

const toSuppression = (one: Wire<typeof contract.suppression>) => ({
  id: one.id,
  email: one.email,
  origin: one.reason === "unsubscribe" ? "manual" : one.reason,
  source_id: one.sourceEmailId,
  created_at: one.createdAt,
})
