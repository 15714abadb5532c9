import * as z from "zod"
import { contact } from "../contacts/shapes.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { atLeastOne, timestamp, title } from "../platform/http/shapes.ts"
import { segmentFilter } from "./filter.ts"

const fields = z.object({ name: title(200), filter: segmentFilter })

const inputExample = {
  bookId: exampleId("contactBook"),
  name: "Readers in London",
  filter: {
    all: [
      { field: "properties.city", op: "is", value: "London" },
      { activity: "opened", withinDays: 30 },
    ],
  },
}

export const segment = fields
  .extend({
    id: z.string(),
    bookId: z.string(),
    contactCount: z
      .int()
      .nullable()
      .describe("The contacts that match, as counted in the background. Null until then."),
    eligibleCount: z
      .int()
      .nullable()
      .describe(
        "Those of them that a campaign would mail: subscribed and not suppressed, counted at the same time.",
      ),
    countedAt: timestamp
      .nullable()
      .describe("When that was. Reading a segment counts it again after ten minutes."),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: "Segment",
    example: {
      id: exampleId("segment"),
      ...inputExample,
      contactCount: 42,
      eligibleCount: 40,
      countedAt: EXAMPLE_TIME,
      createdAt: EXAMPLE_TIME,
      updatedAt: EXAMPLE_TIME,
    },
  })
export type Segment = z.output<typeof segment>

const tag = "Segments"

export const createSegment = endpoint({
  name: "segments.create",
  call: "POST /segments",
  access: "full",
  tag,
  summary: "Create a segment",
  description:
    "A segment is a saved filter over a contact book. A campaign with a `segmentId` goes to the subscribed contacts of its book that match when its fan-out starts.",
  example: () => inputExample,
  refuses: { validation_error: "Also an unknown book: `details.field` names it." },
  json: fields.extend({ bookId: z.string().describe("The contact book that it filters.") }),
  status: 201,
  response: segment,
})

export const listSegments = endpoint({
  name: "segments.list",
  call: "GET /segments",
  access: "full",
  tag,
  summary: "List segments, newest first",
  query: pageQuery.extend({ bookId: z.string().optional() }),
  response: pageOf(segment),
})

export const getSegment = endpoint({
  name: "segments.get",
  call: "GET /segments/:id",
  access: "full",
  tag,
  summary: "Read a segment",
  response: segment,
})

export const updateSegment = endpoint({
  name: "segments.update",
  call: "PATCH /segments/:id",
  access: "full",
  tag,
  summary: "Change a segment",
  description: "A campaign that is being sent keeps the filter that it started with.",
  example: () => ({ name: "Readers who open", filter: { all: [{ activity: "opened" }] } }),
  json: atLeastOne(fields.partial()),
  response: segment,
})

export const deleteSegment = endpoint({
  name: "segments.remove",
  call: "DELETE /segments/:id",
  access: "full",
  tag,
  summary: "Delete a segment",
  description: "Its contacts stay. A draft of a campaign to it needs another segment, or none.",
  refuses: {
    conflict:
      "A campaign to it is scheduled or being sent, or a sequence that it starts is active or paused.",
  },
})

export const listSegmentContacts = endpoint({
  name: "segments.contacts",
  call: "GET /segments/:id/contacts",
  access: "full",
  tag,
  summary: "List the contacts of a segment, newest first",
  description:
    "A page looks at some thousands of contacts at most: it may be short or empty with a `nextCursor`.",
  query: pageQuery,
  response: pageOf(contact).meta({ id: "SegmentContactPage" }),
})
