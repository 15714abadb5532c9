import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME } from "../../platform/http/example.ts"
import { timestamp } from "../../platform/http/shapes.ts"

const ATTEMPT_OUTCOMES = [
  "accepted",
  "fault",
  "failed",
  "delayed",
  "delivered",
  "bounced",
  "complained",
] as const

const cause = z.object({
  code: z.string().describe("A name for the cause, the same whichever provider reported it."),
  enhancedStatus: z.string().nullable().describe("The status code of RFC 3463: `5.1.1`."),
  diagnostic: z.string().nullable().describe("The words of the provider or the receiving server."),
  meaning: z.string(),
})
export type Cause = z.output<typeof cause>

const attempt = z.object({
  at: timestamp,
  outcome: z.enum(ATTEMPT_OUTCOMES),
  answer: z.string().nullable(),
})
export type Attempt = z.output<typeof attempt>

const waitingFor = z.object({
  what: z.string(),
  until: timestamp.nullable().describe("Null where no time is set."),
})

const explanation = z
  .object({
    summary: z.string().describe("What happened, in plain words."),
    cause: cause.nullable().describe("Null where nothing went wrong."),
    next: z.array(z.string()).describe("What to do, most important first."),
    attempts: z
      .array(attempt)
      .describe(
        "What is known of each try to hand the email over and to deliver it, oldest first, at most 100.",
      ),
    waitingFor: waitingFor.nullable().describe("Null where nothing more is expected."),
  })
  .meta({
    id: "EmailExplanation",
    example: {
      summary: "Hard bounce: ada@example.com could not be reached.",
      cause: {
        code: "mailbox_not_found",
        enhancedStatus: "5.1.1",
        diagnostic: "smtp; 550 5.1.1 user unknown",
        meaning: "The receiving server has no mailbox with this name.",
      },
      next: ["Correct the address or remove it from your lists."],
      attempts: [
        { at: EXAMPLE_TIME, outcome: "accepted", answer: null },
        { at: EXAMPLE_TIME, outcome: "bounced", answer: "smtp; 550 5.1.1 user unknown" },
      ],
      waitingFor: null,
    },
  })
export type Explanation = z.output<typeof explanation>

export const explainEmail = endpoint({
  name: "emails.explain",
  call: "GET /emails/:id/explain",
  access: "full",
  tag: "Emails",
  summary: "Say what happened to an email, and what to do",
  description:
    "Reads the provider's report and the receiving server's answer by the status codes of RFC 3463 and the codes of Gmail, Outlook, Yahoo, iCloud, Amazon SES and Cloudflare.",
  response: explanation,
})
