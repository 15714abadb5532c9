import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, timestamp, title } from "../platform/http/shapes.ts"
import { viewQuery } from "./query.ts"

export type { ViewQuery } from "./query.ts"

export const MAX_VIEWS = 50

export const viewInput = z.object({
  name: title(60).describe("Another view of the team may not have it, whatever the case."),
  query: viewQuery
    .refine((query) => Object.keys(query).length > 0, "At least one filter")
    .describe("The filters of `GET /emails`. A time before now, such as `7d`, stays relative."),
})

const inputExample = { name: "Bounces of the week", query: { status: "bounced", since: "7d" } }

export const savedView = viewInput
  .extend({
    id: z.string(),
    query: viewQuery,
    createdBy: z.string().describe("The person's id."),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    example: {
      id: exampleId("savedView"),
      ...inputExample,
      createdBy: exampleId("user"),
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type SavedView = z.output<typeof savedView>

const inDashboard = { access: "session", dashboardRole: "member", tag: "Dashboard" } as const
const nameTaken = "Another view has this name."

export const createView = endpoint({
  ...inDashboard,
  name: "views.create",
  call: "POST /views",
  summary: "Save the filters of the emails list under a name",
  example: () => inputExample,
  refuses: { conflict: `${nameTaken} Or the team has ${MAX_VIEWS} views.` },
  json: viewInput,
  status: 201,
  response: savedView,
})

export const listViews = endpoint({
  ...inDashboard,
  name: "views.list",
  call: "GET /views",
  summary: "List saved views, newest first",
  query: pageQuery,
  response: pageOf(savedView),
})

const ownOnly = "A member may do this to their own views, an owner or an admin to all."

export const updateView = endpoint({
  ...inDashboard,
  name: "views.update",
  call: "PATCH /views/:id",
  summary: "Change a saved view",
  description: ownOnly,
  example: () => ({ name: "Bounces" }),
  refuses: { conflict: nameTaken },
  json: atLeastOne(viewInput.partial()),
  response: savedView,
})

export const deleteView = endpoint({
  ...inDashboard,
  name: "views.delete",
  call: "DELETE /views/:id",
  summary: "Delete a saved view",
  description: ownOnly,
})
