import * as z from "zod"
import { blocks, theme } from "../campaigns/blocks.ts"
import { endpoint } from "../http/endpoint.ts"
import { pageOf, pageQuery } from "../http/page.ts"
import { atLeastOne, timestamp, title } from "../http/shapes.ts"

const fields = z.object({
  name: title(200),
  blocks,
  theme: theme.nullable(),
})

export const layout = fields
  .extend({ id: z.string(), createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: "Layout" })
export type Layout = z.output<typeof layout>

const tag = "Layouts"

export const createLayout = endpoint({
  method: "POST",
  path: "/layouts",
  access: "session",
  tag,
  summary: "Create a layout",
  json: fields.extend({ theme: fields.shape.theme.default(null) }),
  status: 201,
  response: layout,
})

export const listLayouts = endpoint({
  method: "GET",
  path: "/layouts",
  access: "session",
  tag,
  summary: "List layouts, newest first",
  query: pageQuery,
  status: 200,
  response: pageOf(layout),
})

export const getLayout = endpoint({
  method: "GET",
  path: "/layouts/:id",
  access: "session",
  tag,
  summary: "Read a layout",
  status: 200,
  response: layout,
})

export const updateLayout = endpoint({
  method: "PATCH",
  path: "/layouts/:id",
  access: "session",
  tag,
  summary: "Change a layout",
  description: "Campaigns that are already being sent keep the blocks that they started with.",
  json: atLeastOne(fields.partial()),
  status: 200,
  response: layout,
})

export const deleteLayout = endpoint({
  method: "DELETE",
  path: "/layouts/:id",
  access: "session",
  tag,
  summary: "Delete a layout",
  description: "A campaign that names it can no longer be sent until it names another, or none.",
  status: 204,
})
