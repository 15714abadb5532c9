import * as z from "zod"
import { acceptedEmail, email, sendRefusals } from "../../emails/contract.ts"
import { repeatable } from "../../emails/list/filters-contract.ts"
import { MAX_RECIPIENTS, SEND_MAX_BYTES, sendFields } from "../../emails/send-input.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"
import { namedAddress, received } from "../contract.ts"

export const THREAD_STATES = ["open", "done", "spam"] as const

/** A thread shows its newest messages. */
export const MAX_THREAD_MESSAGES = 1_000

export const thread = z
  .object({
    id: z.string(),
    inboxId: z.string(),
    subject: z.string(),
    participants: z.array(namedAddress),
    messageCount: z.int(),
    state: z.enum(THREAD_STATES).describe("A new message opens a thread that was `done`."),
    lastMessageAt: timestamp,
    createdAt: timestamp,
  })
  .meta({
    id: "Thread",
    example: {
      id: exampleId("thread"),
      inboxId: exampleId("inbox"),
      subject: "Where is my order?",
      participants: [{ email: "ada@example.com", name: "Ada Lovelace" }],
      messageCount: 2,
      state: "open",
      lastMessageAt: EXAMPLE_TIME,
      createdAt: EXAMPLE_TIME,
    },
  })
export type Thread = z.output<typeof thread>

const threadMessage = z
  .object({
    kind: z.enum(["email", "received"]),
    email: email.optional(),
    received: received.optional(),
  })
  .meta({
    id: "ThreadMessage",
    example: { kind: "received", received: received.meta()?.example },
  })
export type ThreadMessage = z.output<typeof threadMessage>

const tag = "Threads"

export const listThreads = endpoint({
  name: "threads.list",
  call: "GET /threads",
  access: "full",
  tag,
  summary: "List threads, that with the newest message first",
  query: pageQuery.extend({
    inboxId: z.string().optional(),
    state: repeatable(z.enum(THREAD_STATES), THREAD_STATES.length).optional(),
  }),
  response: searchedPageOf(thread),
})

export const getThread = endpoint({
  name: "threads.get",
  call: "GET /threads/:id",
  access: "full",
  tag,
  summary: "Read a thread",
  response: thread,
})

export const updateThread = endpoint({
  name: "threads.update",
  call: "PATCH /threads/:id",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Mark a thread as open, done or spam",
  example: () => ({ state: "done" }),
  json: z.object({ state: z.enum(THREAD_STATES) }),
  response: thread,
})

export const listThreadMessages = endpoint({
  name: "threads.messages",
  call: "GET /threads/:id/messages",
  access: "full",
  tag,
  summary: "List the messages of a thread, oldest first",
  description: `Sent and received, also the email that began it. A thread shows its newest ${MAX_THREAD_MESSAGES} messages.`,
  query: pageQuery,
  response: pageOf(threadMessage),
})

const { text, html, cc, attachments, idempotencyKey } = sendFields.shape

export const replyInThread = endpoint({
  name: "threads.reply",
  call: "POST /threads/:id/replies",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Answer in a thread",
  description:
    "An email to the sender of a message, from the inbox, or from the address of a catch-all that they wrote to, under all rules of a send. `In-Reply-To` and `References` name what it answers.",
  example: () => ({ receivedId: exampleId("received"), text: "It is on its way." }),
  refuses: {
    ...sendRefusals,
    conflict:
      "Nobody has written in the thread, or its inbox is a catch-all and the message names no address of its domain.",
  },
  json: z
    .object({
      receivedId: z
        .string()
        .optional()
        .describe("The message to answer. Default: the newest of the thread."),
      text: text.describe("Without it, it is made from `html`. The empty string: no text part."),
      html: html.describe("At least one of `html` and `text` is required."),
      ...{ cc, attachments, idempotencyKey },
    })
    .refine(({ text, html }) => Boolean(text || html), {
      message: "One of html and text is required",
      path: ["html"],
    })
    .refine(({ cc }) => cc.length < MAX_RECIPIENTS, {
      message: `At most ${MAX_RECIPIENTS - 1} recipients in cc`,
      path: ["cc"],
    }),
  maxBytes: SEND_MAX_BYTES,
  status: 201,
  alsoStatus: 200,
  response: acceptedEmail,
})
