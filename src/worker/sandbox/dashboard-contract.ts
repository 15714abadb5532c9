import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../platform/http/page.ts"
import { bareAddress, timestamp } from "../platform/http/shapes.ts"
import { searchText } from "./contract.ts"

const captured = z
  .object({
    id: z.string().describe("The email's."),
    from: z.string(),
    to: z.array(z.string()).describe("The envelope's."),
    subject: z.string(),
    createdAt: timestamp,
  })
  .meta({
    example: {
      id: exampleId("email"),
      from: "Edgepost <hello@demo.test>",
      to: ["success@simulator.amazonses.com"],
      subject: "It works",
      createdAt: EXAMPLE_TIME,
    },
  })

export const listInbox = endpoint({
  name: "inbox.list",
  call: "GET /inbox",
  access: "session",
  dashboardRole: "member",
  tag: "Sandbox",
  summary: "List the test inbox without its messages' bodies, newest first",
  description: "Answers 404 unless the service runs with the sandbox as its provider.",
  query: pageQuery.extend({
    to: bareAddress.optional().describe("An address of the envelope."),
    q: searchText.optional(),
  }),
  response: searchedPageOf(captured),
})
