import type { Hono } from "hono"
import * as z from "zod"
import * as contract from "../../contacts/contract.ts"
import {
  changeFallback,
  declareProperty,
  getProperty,
  listProperties,
  removeProperty,
} from "../../contacts/properties/properties.ts"
import { type DeclaredProperty, PROPERTY_TYPES } from "../../contacts/properties/table.ts"
import { MAX_PROPERTY_CHARACTERS } from "../../contacts/shapes.ts"
import { invalid } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { lines } from "../../platform/http/shapes.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { serve, serveRemoval } from "../route.ts"

const fallback_value = z.union([lines(MAX_PROPERTY_CHARACTERS), z.number()]).nullish()
type Fallback = z.output<typeof fallback_value>

const newMembers = z.object({
  key: z.string().regex(/^[A-Za-z0-9_]{1,50}$/, "1 to 50 letters, digits or underscores"),
  type: z.enum(PROPERTY_TYPES),
  fallback_value,
})

const object = "contact_property"

/** Who may do what is as with contact books. */
export function contactPropertyRoutes(app: Hono<HttpEnv>): void {
  const { createContactBook: create, listContactBooks: list, getContactBook: get } = contract
  const { updateContactBook: update, deleteContactBook: remove } = contract
  const [all, one] = ["/contact-properties", "/contact-properties/:id"] as const
  serve(app, `POST ${all}`, create, { body: newMembers }, async (ctx, { body }) => {
    const { key, type } = body
    const { id } = await declareProperty(ctx, {
      key,
      type,
      fallback: toText(type, body.fallback_value),
    })
    return { object, id }
  })
  serve(app, `GET ${all}`, list, { query: listQuery }, async (ctx, { query }) =>
    toList(await listProperties(ctx, toPageQuery(query)), toRecord),
  )
  serve(app, `GET ${one}`, get, {}, async (ctx, { params }) => ({
    object,
    ...toRecord(await getProperty(ctx, params.id!)),
  }))
  const body = z.object({ fallback_value })
  serve(app, `PATCH ${one}`, update, { body }, async (ctx, { params, body }) => {
    const { id, type } = await getProperty(ctx, params.id!)
    await changeFallback(ctx, id, toText(type, body.fallback_value))
    return { object, id }
  })
  serveRemoval(app, one, remove, object, removeProperty)
}

function toText(type: DeclaredProperty["type"], value: Fallback): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== type) throw invalid(["fallback_value"], `Must be a ${type}`)
  return String(value)
}

const toRecord = ({ id, key, type, fallback, createdAt }: DeclaredProperty) => ({
  id,
  key,
  type,
  fallback_value: type === "number" && fallback !== null ? Number(fallback) : fallback,
  created_at: new Date(createdAt).toISOString(),
})
