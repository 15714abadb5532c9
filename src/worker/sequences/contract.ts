import * as z from "zod"
import { eventName } from "../contact-events/contract.ts"
import { properties } from "../contacts/shapes.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { bareAddress, mailbox, timestamp, timestampInput, title } from "../platform/http/shapes.ts"
import { segmentFilter } from "../segments/filter.ts"
import { ENTRIES, RUN_ENDS, RUN_STATES, SEQUENCE_STATUSES, STEP_COUNTS } from "./statuses.ts"
import { sendWindow, sequenceSteps } from "./steps-contract.ts"

export const MAX_SEQUENCES = 100
export const MAX_STARTED_A_CALL = 1_000
const MAX_HAPPENINGS = 100

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

const inputExample = {
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
      blocks: [{ kind: "text", html: "Good that you are here." }],
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

export const runExample = {
  id: exampleId("sequenceRun"),
  sequenceId: exampleId("sequence"),
  version: 1,
  contactId: exampleId("contact"),
  stepKey: "pause",
  state: "waiting",
  endedBy: null,
  dueAt: EXAMPLE_TIME,
  startedAt: EXAMPLE_TIME,
  endedAt: null,
}

export const run = z
  .object({
    id: z.string(),
    sequenceId: z.string(),
    version: z.int(),
    contactId: z.string(),
    stepKey: z.string().nullable().describe("Null before the first step and after the last."),
    state: z.enum(RUN_STATES),
    endedBy: z.enum(RUN_ENDS).nullable(),
    dueAt: timestamp
      .nullable()
      .describe("When it is looked at next. Null while its sequence is paused."),
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
  })
  .meta({ id: "SequenceRun", example: runExample })
export type Run = z.output<typeof run>

const runWithHistory = run
  .extend({
    history: z
      .array(
        z.object({
          stepKey: z.string(),
          at: timestamp,
          outcome: z.string(),
          emailId: z.string().nullable(),
        }),
      )
      .describe("The steps that it has passed, oldest first."),
    waitingFor: z.string().nullable().describe("In words."),
  })
  .meta({
    id: "SequenceRunWithHistory",
    example: {
      ...runExample,
      history: [
        {
          stepKey: "hello",
          at: EXAMPLE_TIME,
          outcome: "sent",
          emailId: exampleId("email"),
        },
      ],
      waitingFor: "The wait 'pause' ends.",
    },
  })
export type RunWithHistory = z.output<typeof runWithHistory>

const tag = "Sequences"

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

export const startRuns = endpoint({
  name: "sequences.start",
  call: "POST /sequences/:id/contacts",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Start a sequence for contacts",
  description: `Up to ${MAX_STARTED_A_CALL}. Skipped are contacts that are not in its book or not subscribed, that go through it now, or have and may not again.`,
  example: () => ({ contactIds: [exampleId("contact")] }),
  refuses: { conflict: "It is not `active`, or its trigger is not `call`." },
  retryable: true,
  json: z.object({ contactIds: z.array(z.string()).min(1).max(MAX_STARTED_A_CALL) }),
  status: 202,
  response: z
    .object({ started: z.int(), skipped: z.int() })
    .meta({ example: { started: 1, skipped: 0 } }),
})

export const listRuns = endpoint({
  name: "sequences.runs",
  call: "GET /sequences/:id/runs",
  access: "full",
  tag,
  summary: "List the runs of a sequence, newest first",
  query: pageQuery.extend({
    state: z.enum(RUN_STATES).optional(),
    stepKey: z.string().optional(),
    contactId: z.string().optional(),
  }),
  response: pageOf(run),
})

export const getRun = endpoint({
  name: "runs.get",
  call: "GET /runs/:id",
  access: "full",
  tag,
  summary: "Read a run with its history",
  response: runWithHistory,
})

export const endRun = endpoint({
  name: "runs.end",
  call: "POST /runs/:id/end",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "End a run",
  exampleReply: () => ({ state: "done", endedBy: "person", dueAt: null, endedAt: EXAMPLE_TIME }),
  refuses: { conflict: "It is done." },
  response: run,
})

export const skipStep = endpoint({
  name: "runs.skip",
  call: "POST /runs/:id/skip",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Pass the step that a run stands in",
  refuses: { conflict: "It is done, or was moved at the same time." },
  response: run,
})

export const previewSequence = endpoint({
  name: "sequences.preview",
  call: "POST /sequences/:id/preview",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Tell whom a change of the steps would move",
  example: () => ({ steps: inputExample.steps.slice(0, 1) }),
  retryable: true,
  json: z.object({ steps: sequenceSteps }),
  response: z
    .object({
      runs: z.int().describe("That are not done."),
      stay: z.int(),
      moved: z.array(
        z.object({
          from: z.string(),
          to: z.string().nullable().describe("Null: they would be finished."),
          runs: z.int(),
        }),
      ),
    })
    .meta({
      example: { runs: 3, stay: 1, moved: [{ from: "pause", to: null, runs: 2 }] },
    }),
})

const happening = z.object({
  at: timestampInput,
  event: eventName.optional(),
  open: z.string().optional().describe("The key of the step whose mail is opened."),
  click: z.string().optional(),
  unsubscribe: z.literal(true).optional(),
  set: z.object({ properties }).optional(),
})
export type Happening = z.output<typeof happening>

const facts = z.object({
  email: bareAddress.default("ada@example.com"),
  firstName: z.string().nullable().default(null),
  lastName: z.string().nullable().default(null),
  properties: properties.default({}),
  subscribed: z.boolean().default(true),
  topics: z.record(z.string(), z.boolean()).default({}),
})

export const simulateSequence = endpoint({
  name: "sequences.simulate",
  call: "POST /sequences/:id/simulate",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Tell what would happen to a contact",
  description: "By the code that runs the sequence. It sends and stores nothing.",
  example: () => ({
    contact: { firstName: "Ada" },
    startAt: EXAMPLE_TIME,
    happenings: [],
  }),
  retryable: true,
  json: z.object({
    contact: z.union([z.string(), facts]).describe("The id of a contact, or what is true of one."),
    startAt: timestampInput,
    happenings: z
      .array(happening)
      .max(MAX_HAPPENINGS)
      .default([])
      .describe("Each is one of `event`, `open`, `click`, `unsubscribe` and `set`."),
    steps: sequenceSteps.optional().describe("In place of its own steps, to try a change."),
  }),
  response: z
    .object({
      timeline: z.array(
        z.object({
          at: timestamp,
          stepKey: z.string(),
          kind: z.string(),
          subject: z.string().nullable(),
          says: z.string(),
        }),
      ),
      endedBy: z.enum(RUN_ENDS).nullable().describe("Null: it is held."),
    })
    .meta({
      example: {
        timeline: [
          {
            at: EXAMPLE_TIME,
            stepKey: "hello",
            kind: "send",
            subject: "Hello Ada",
            says: "Sends 'Hello Ada'.",
          },
        ],
        endedBy: "finished",
      },
    }),
})

export const listSteps = endpoint({
  name: "sequences.steps",
  call: "GET /sequences/:id/steps",
  access: "full",
  tag,
  summary: "Count what became of people, by step",
  response: z
    .record(
      z.string(),
      z.object(
        Object.fromEntries(STEP_COUNTS.map((name) => [name, z.int()])) as Record<
          (typeof STEP_COUNTS)[number],
          z.ZodInt
        >,
      ),
    )
    .meta({
      example: { hello: Object.fromEntries(STEP_COUNTS.map((name) => [name, 0])) },
    }),
})
