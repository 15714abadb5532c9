import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import { atLeastOne, timestamp, title } from "../../platform/http/shapes.ts"
import { blocks, theme } from "../blocks/contract.ts"

const fields = z.object({
  name: title(200),
  blocks,
  theme: theme.nullable(),
})

const inputExample = {
  name: "Our header",
  blocks: [{ kind: "heading", level: 2, text: "Edgepost news", align: "center" }],
}

export const layout = fields
  .extend({ id: z.string(), createdAt: timestamp, updatedAt: timestamp })
  .meta({
    id: "Layout",
    example: {
      id: exampleId("layout"),
      ...inputExample,
      theme: null,
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Layout = z.output<typeof layout>

const inDashboard = { access: "session", tag: "Layouts" } as const

export const createLayout = endpoint({
  ...inDashboard,
  name: "layouts.create",
  call: "POST /layouts",
  dashboardRole: "member",
  summary: "Create a layout",
  example: () => inputExample,
  json: fields.extend({ theme: fields.shape.theme.default(null) }),
  status: 201,
  response: layout,
})

export const listLayouts = endpoint({
  ...inDashboard,
  name: "layouts.list",
  call: "GET /layouts",
  dashboardRole: "member",
  summary: "List layouts, newest first",
  query: pageQuery,
  response: pageOf(layout),
})

export const getLayout = endpoint({
  ...inDashboard,
  name: "layouts.get",
  call: "GET /layouts/:id",
  dashboardRole: "member",
  summary: "Read a layout",
  response: layout,
})

export const updateLayout = endpoint({
  ...inDashboard,
  name: "layouts.update",
  call: "PATCH /layouts/:id",
  dashboardRole: "member",
  summary: "Change a layout",
  description: "Campaigns that are already being sent keep the blocks that they started with.",
  example: () => ({ name: "Our new header" }),
  json: atLeastOne(fields.partial()),
  response: layout,
})

export const deleteLayout = endpoint({
  ...inDashboard,
  name: "layouts.remove",
  call: "DELETE /layouts/:id",
  summary: "Delete a layout",
  description: "A campaign that names it can no longer be sent until it names another, or none.",
})
