import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageQuery, searchedPageOf } from "../../platform/http/page.ts"
import { timestamp } from "../../platform/http/shapes.ts"
import { tag } from "../contract.ts"
import { RUN_ENDS, RUN_STATES, STEP_COUNTS } from "../statuses.ts"

export const MAX_STARTED_A_CALL = 1_000

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
  description:
    "With `state` or `stepKey`, a page looks through at most 1,000 runs, so a short page may have a `nextCursor`.",
  query: pageQuery.extend({
    state: z.enum(RUN_STATES).optional(),
    stepKey: z.string().optional(),
    contactId: z.string().optional(),
  }),
  response: searchedPageOf(run),
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
