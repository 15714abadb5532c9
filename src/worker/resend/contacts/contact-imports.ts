import type { Context, Hono } from "hono"
import * as z from "zod"
import { newId } from "../../../lib/id.ts"
import { readContactBooks } from "../../contacts/books.ts"
import * as contract from "../../contacts/contract.ts"
import { importContacts as create } from "../../contacts/import/contract.ts"
import { getImport, keepImport, listImports } from "../../contacts/import/kept-imports.ts"
import type { NamedProperty } from "../../contacts/import/read-columns.ts"
import type { KeptImport } from "../../contacts/import/table.ts"
import type { ColumnMapping } from "../../contacts/shapes.ts"
import type { Ctx } from "../../platform/context.ts"
import { invalid, notFound } from "../../platform/http/errors.ts"
import { parseJson, readBody } from "../../platform/http/input/body.ts"
import { readInput } from "../../platform/http/input/read-input.ts"
import { answer, type HttpEnv } from "../../platform/http/route.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { serve } from "../route.ts"
import { findOrCreateDefaultBook } from "./default-book.ts"
import { toChoices, topicChoices } from "./topic-choices.ts"

/** The file is imported anew into each. */
const MAX_SEGMENTS = 5

const column = z.string().nullish()
const columnMap = z.object({
  email: column,
  first_name: column,
  last_name: column,
  unsubscribed: column,
  properties: z
    .record(
      z.string(),
      z.object({ column: z.string(), type: z.enum(["string", "number", "boolean"]).nullish() }),
    )
    .nullish(),
})

const asked = z.object({
  file: z.string(),
  column_map: columnMap.optional(),
  on_conflict: z.enum(["upsert", "skip"]).default("skip"),
  segments: z
    .array(z.object({ id: z.string() }))
    .max(MAX_SEGMENTS)
    .default([]),
  topics: topicChoices.default([]),
})
type Asked = z.output<typeof asked>

const IN_JSON = ["column_map", "segments", "topics"]
const object = "contact_import"

export function contactImportRoutes(app: Hono<HttpEnv>): void {
  const { listContactBooks: list, getContactBook: get } = contract
  app.on("POST", ["/contacts/imports"], (c) =>
    answer(c, create, async (ctx) => {
      const id = await importAll(ctx, await readForm(c, create.maxBytes ?? 0))
      return Response.json({ object, id }, { status: 201 })
    }),
  )
  const query = listQuery.extend({ status: z.string().optional() })
  serve(app, "GET /contacts/imports", list, { query }, async (ctx, { query }) => {
    const { status = "completed", ...page } = query
    const kept = await listImports(ctx, toPageQuery(page))
    return toList(status === "completed" ? kept : { data: [], nextCursor: null }, toRecord)
  })
  serve(app, "GET /contacts/imports/:id", get, {}, async (ctx, { params }) =>
    toRecord(await getImport(ctx, params.id!)),
  )
}

/** A file, and fields of text. Objects and lists are in JSON. */
async function readForm(c: Context<HttpEnv>, maxBytes: number): Promise<Asked> {
  const body = await readBody(c.req.raw, maxBytes)
  const type = c.req.header("content-type") ?? ""
  const form = await new Response(body as BodyInit, { headers: { "content-type": type } })
    .formData()
    .catch(() => {
      throw invalid([], "The body must be a form with a file")
    })
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => {
      const text = typeof value === "string" ? value : await value.text()
      return [name, IN_JSON.includes(name) ? parseJson(new TextEncoder().encode(text)) : text]
    }),
  )
  return readInput(asked, Object.fromEntries(fields))
}

/** Imports into the default book and the segments. It is done when the call is answered. */
async function importAll(ctx: Ctx, { file, on_conflict, topics, ...input }: Asked) {
  const { importContacts } = await import("../../contacts/import/import.ts")
  const segments = [...new Set(input.segments.map(({ id }) => id))]
  const found = await readContactBooks(ctx, segments)
  if (found.length < segments.length) throw notFound("Segment")
  const own = await findOrCreateDefaultBook(ctx)
  const createdAt = ctx.now()
  const { mapping: columns, named } = toColumns(input.column_map)
  const bring = (bookId: string) =>
    importContacts(
      ctx,
      bookId,
      {
        csv: file,
        columns,
        updateExisting: on_conflict === "upsert",
        subscribed: true,
        dryRun: false,
      },
      { named, topics: toChoices(topics), asksAllBooks: true },
    )
  const { imported: created, updated, skipped, duplicates, failed } = await bring(own)
  for (const segment of segments) if (segment !== own) await bring(segment)
  const total = created + updated + skipped + duplicates + failed
  const counts = { total, created, updated, skipped: skipped + duplicates, failed }
  const id = newId("contactImport", createdAt)
  await keepImport(ctx, { id, counts, createdAt, completedAt: ctx.now() })
  return id
}

function toColumns(map: Asked["column_map"]) {
  if (!map) return { mapping: {}, named: undefined }
  const targets = {
    email: map.email,
    firstName: map.first_name,
    lastName: map.last_name,
    unsubscribed: map.unsubscribed,
  }
  const mapping: ColumnMapping = Object.fromEntries(
    Object.entries(targets).flatMap(([target, name]) =>
      name ? [[name, target as keyof typeof targets]] : [],
    ),
  )
  const named = new Map(
    Object.entries(map.properties ?? {}).map(
      ([name, { column, type }]): [string, NamedProperty] => [
        column.trim().toLowerCase(),
        { name, type: type ?? "string" },
      ],
    ),
  )
  return { mapping, named }
}

const toRecord = ({ id, counts, createdAt, completedAt }: KeptImport) => ({
  object,
  id,
  status: "completed",
  created_at: new Date(createdAt).toISOString(),
  completed_at: new Date(completedAt).toISOString(),
  counts,
})
