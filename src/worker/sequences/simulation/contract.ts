import * as z from "zod"
import { eventName } from "../../contact-events/contract.ts"
import { properties } from "../../contacts/shapes.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME } from "../../platform/http/example.ts"
import { bareAddress, timestamp, timestampInput } from "../../platform/http/shapes.ts"
import { inputExample, tag } from "../contract.ts"
import { sequenceSteps } from "../definition/steps-contract.ts"
import { RUN_ENDS } from "../statuses.ts"

const MAX_HAPPENINGS = 100

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
