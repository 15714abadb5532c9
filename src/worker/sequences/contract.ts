import * as z from "zod"
import { eventName } from "../contact-events/contract.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { mailbox, timestamp, title } from "../platform/http/shapes.ts"
import { segmentFilter } from "../segments/filter.ts"
import { sendWindow, sequenceSteps } from "./definition/steps-contract.ts"
import { ENTRIES, SEQUENCE_STATUSES } from "./statuses.ts"

export const MAX_SEQUENCES = 100

const trigger = z.discriminatedUnion("on", [
  z.object({
    on: z.literal("subscribed"),
    imports: z.boolean().default(false).describe("Also by an import."),
  }),
  z.object({ on: z.literal("segment"), segmentId: z.string() }),
  z.object({ on: z.literal("event"), name: eventName }),
  z.object({ on: z.literal("call") }),
])
export type Trigger = z.output<typeof trigger>

const fields = z.object({
  name: title(200),
  domainId: z.string(),
  from: mailbox,
  replyTo: mailbox.nullable(),
  topicId: z
    .string()
    .nullable()
    .describe("Its mail goes only to contacts that want this topic. The run of others goes on."),
  trigger,
  steps: sequenceSteps,
  entry: z.enum(ENTRIES).describe("Whether a contact may go through it again."),
  goal: segmentFilter.nullable().describe("A run ends when its contact matches."),
  endOnReply: z.boolean(),
  window: sendWindow.nullable().describe("Mail outside of it waits for its opening."),
})

export const inputExample = {
  bookId: exampleId("contactBook"),
  name: "Welcome",
  domainId: exampleId("domain"),
  from: "News <news@demo.test>",
  trigger: { on: "subscribed" },
  steps: [
    {
      key: "hello",
      kind: "send",
      subject: "Hello {{ firstName }}",
      blocks: [{ kind: "text", html: "Thanks for joining." }],
    },
    { key: "pause", kind: "wait", for: "3d" },
    { key: "tell", kind: "notify" },
  ],
}

const sequenceExample = {
  ...inputExample,
  id: exampleId("sequence"),
  replyTo: null,
  topicId: null,
  trigger: { on: "subscribed", imports: false },
  steps: [{ preheader: null, ...inputExample.steps[0] }, ...inputExample.steps.slice(1)],
  entry: "once",
  goal: null,
  endOnReply: true,
  window: null,
  status: "draft",
  version: 1,
  counts: { entered: 0, active: 0, finished: 0, ended: 0 },
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
}

export const sequence = fields
  .extend({
    id: z.string(),
    bookId: z.string(),
    from: z.string(),
    replyTo: z.string().nullable(),
    status: z.enum(SEQUENCE_STATUSES),
    version: z.int().describe("Each change makes the next one."),
    counts: z.object({
      entered: z.int(),
      active: z.int(),
      finished: z.int(),
      ended: z.int().describe("Before the last step."),
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Sequence", example: sequenceExample })
export type Sequence = z.output<typeof sequence>

export const tag = "Sequences"

const contentRefusals = {
  validation_error:
    "Also an unknown book, segment, topic, domain or template: `details.field` names it.",
  forbidden: "The key is restricted to another domain.",
  domain_not_verified: "The domain is not verified, or `from` is not on it.",
}

export const createSequence = endpoint({
  name: "sequences.create",
  call: "POST /sequences",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Create a sequence",
  description: `A draft: nobody enters before it is active. A team has at most ${MAX_SEQUENCES}.`,
  example: () => inputExample,
  refuses: { ...contentRefusals, conflict: `The team has ${MAX_SEQUENCES}.` },
  json: fields.extend({
    bookId: z.string(),
    replyTo: fields.shape.replyTo.default(null),
    topicId: fields.shape.topicId.default(null),
    steps: fields.shape.steps.default([]),
    entry: fields.shape.entry.default("once"),
    goal: fields.shape.goal.default(null),
    endOnReply: fields.shape.endOnReply.default(true),
    window: fields.shape.window.default(null),
  }),
  status: 201,
  response: sequence,
})

export const listSequences = endpoint({
  name: "sequences.list",
  call: "GET /sequences",
  access: "full",
  tag,
  summary: "List sequences, newest first",
  query: pageQuery.extend({ status: z.enum(SEQUENCE_STATUSES).optional() }),
  response: pageOf(sequence),
})

export const getSequence = endpoint({
  name: "sequences.get",
  call: "GET /sequences/:id",
  access: "full",
  tag,
  summary: "Read a sequence",
  response: sequence,
})

export const updateSequence = endpoint({
  name: "sequences.update",
  call: "PATCH /sequences/:id",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Change a sequence",
  description:
    "Makes the next version. A run goes on at its step, or at the next step of its old version that still exists; without one it is finished. Mail that waits in the queue stays as it was.",
  example: () => ({ version: 1, name: "Welcome, again" }),
  exampleReply: () => ({ version: 2 }),
  refuses: {
    ...contentRefusals,
    conflict: "`version` is not the current one: `details.version` is. Or it is `archived`.",
  },
  json: fields
    .partial()
    .extend({ version: z.int().describe("The version that the change was made from.") })
    .refine((value) => Object.keys(value).length > 1, "At least one member beside the version"),
  response: sequence,
})

export const deleteSequence = endpoint({
  name: "sequences.remove",
  call: "DELETE /sequences/:id",
  access: "full",
  tag,
  summary: "Delete a sequence and its runs",
  refuses: { conflict: "It is neither a `draft` nor `archived`." },
})

const moved = { access: "full", dashboardRole: "member", tag, retryable: true } as const

export const activateSequence = endpoint({
  ...moved,
  name: "sequences.activate",
  call: "POST /sequences/:id/activate",
  summary: "Activate a sequence, or let a paused one go on",
  description:
    "Its mail is composed and frozen. Who matches the segment of its trigger already does not enter.",
  exampleReply: () => ({ status: "active" }),
  refuses: {
    ...contentRefusals,
    conflict: "It has no steps, or it is `archived`.",
  },
  response: sequence,
})

export const pauseSequence = endpoint({
  ...moved,
  name: "sequences.pause",
  call: "POST /sequences/:id/pause",
  summary: "Pause a sequence",
  description: "Nobody enters, no run goes on, and its queued mail is held.",
  exampleReply: () => ({ status: "paused" }),
  refuses: { conflict: "It is a `draft` or `archived`." },
  response: sequence,
})

export const archiveSequence = endpoint({
  ...moved,
  name: "sequences.archive",
  call: "POST /sequences/:id/archive",
  summary: "Archive a sequence",
  description: "All its runs end, and its queued mail is cancelled. It cannot be activated again.",
  exampleReply: () => ({ status: "archived" }),
  response: sequence,
})

export const resumeSequence = endpoint({
  ...moved,
  name: "sequences.resume",
  call: "POST /sequences/:id/resume",
  summary: "Let the held runs of a sequence go on",
  exampleReply: () => ({ status: "active" }),
  response: sequence,
})
