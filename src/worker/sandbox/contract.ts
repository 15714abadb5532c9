import * as z from "zod"
import { MAX_WORDS, searchWords } from "../emails/word-index/words-contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageQuery, searchedPageOf, waitSeconds } from "../platform/http/page.ts"
import { bareAddress, timestamp } from "../platform/http/shapes.ts"

export const MAX_LINKS = 10_000

const sandboxMessage = z
  .object({
    emailId: z.string(),
    envelope: z.object({ from: z.string(), to: z.array(z.string()) }),
    headers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .describe("Lower-case name to value, or to a list of values where it is repeated."),
    subject: z.string(),
    html: z.string().nullable(),
    text: z.string().nullable(),
    links: z
      .array(z.string())
      .describe(
        `The URLs of the message, in order, each once: of its first ${MAX_LINKS.toLocaleString("en-US")} links and images, and of as many in the text.`,
      ),
    attachments: z.array(
      z.object({
        filename: z.string().nullable(),
        contentType: z.string(),
        size: z.number(),
        contentId: z.string().nullable(),
      }),
    ),
    raw: z.string().describe("The message as it was handed over."),
    createdAt: timestamp,
  })
  .meta({
    id: "SandboxMessage",
    example: {
      emailId: exampleId("email"),
      envelope: { from: "hello@demo.test", to: ["success@simulator.amazonses.com"] },
      headers: { subject: "It works", from: "Edgepost <hello@demo.test>" },
      subject: "It works",
      html: "<p>Hi there</p>",
      text: null,
      links: [],
      attachments: [],
      raw: "From: Edgepost <hello@demo.test>\r\nSubject: It works\r\n…",
      createdAt: EXAMPLE_TIME,
    },
  })
export type SandboxMessage = z.output<typeof sandboxMessage>

/** What a search in the test inbox looks for. */
export const searchText = searchWords(320).describe(
  `Up to ${MAX_WORDS} words of the subject, the text and its links, such as a code: each from its start, all needed, whatever the case. Or the start of a recipient's address. A page looks through at most 1,000 messages, and each has the first 8,000 characters of its words.`,
)

export const listSandboxMessages = endpoint({
  name: "sandbox.list",
  call: "GET /sandbox/messages",
  access: "full",
  tag: "Sandbox",
  summary: "The test inbox: what the sandbox was handed, newest first",
  description: "Answers 404 unless the service runs with the sandbox as its provider.",
  query: pageQuery.extend({
    to: bareAddress.optional().describe("An address of the envelope."),
    q: searchText.optional(),
    emailId: z.string().optional(),
    wait: waitSeconds("Seconds to wait for the first match."),
  }),
  response: searchedPageOf(sandboxMessage),
})
