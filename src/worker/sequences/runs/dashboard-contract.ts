import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { exampleId } from "../../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { RUN_STATES } from "../statuses.ts"
import { run, runExample } from "./contract.ts"

const runRow = run
  .extend({
    bookId: z.string(),
    email: z.string().nullable().describe("Null once the contact is deleted."),
    sequenceName: z.string(),
    waitsFor: z.string().nullable().describe("The event that lets it go on."),
    heldReason: z.string().nullable(),
  })
  .meta({
    id: "RunRow",
    example: {
      ...runExample,
      bookId: exampleId("contactBook"),
      email: "ada@example.com",
      sequenceName: "Welcome",
      waitsFor: null,
      heldReason: null,
    },
  })

export const listRunRows = endpoint({
  name: "sequences.people",
  call: "GET /run-rows",
  access: "session",
  dashboardRole: "member",
  tag: "Sequences",
  summary: "List runs with their people, newest first",
  query: pageQuery.extend({
    sequenceId: z.string().optional(),
    contactId: z.string().optional(),
    stepKey: z.string().optional(),
    state: z.enum(RUN_STATES).optional(),
  }),
  response: searchedPageOf(runRow),
})
