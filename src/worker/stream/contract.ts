import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"

const CHANGE_TYPES = ["email", "webhook", "received"] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

/** The latest changes and the latest hours that a reconnect can catch up with. */
export const KEPT_CHANGES = 10_000
export const KEPT_HOURS = 24

export const PING_SECONDS = 25

/** Of the reply: the sequence after which the stream tells changes. */
export const SEQUENCE_HEADER = "svc-stream-sequence"

/** The streams of a team that are open at once. */
export const MAX_READERS = 120

export const openStream = endpoint({
  name: "stream",
  call: "GET /stream",
  access: "full",
  tag: "Stream",
  summary: "Follow the team's changes as server-sent events",
  description: `The first frame, \`: connected\`, confirms the subscription: every change made after it is told. A change is \`event: change\` with \`id: <sequence>\` and \`data: {"type","id"}\`, \`type\` being \`email\` or \`webhook\`; fetch the object itself. A change may be told again when the service could not know that it was heard. \`: ping\` comes every ${PING_SECONDS} seconds.

The sequence is the team's own, without gaps but for changes that were not asked for. Reconnect with \`Last-Event-ID\` and what was missed follows \`: connected\`: the last ${KEPT_CHANGES} changes of ${KEPT_HOURS} hours are kept. An id that is older or unknown answers one \`event: reset\` with \`data: {}\` and the current sequence as its id: refetch what you show. The header \`${SEQUENCE_HEADER}\` says after which sequence the stream tells changes: a client whose connection breaks before the first change reconnects with it.

The service closes a stream after an hour, and drops a reader that takes nothing for ${PING_SECONDS} to ${2 * PING_SECONDS} seconds: reconnect with \`Last-Event-ID\`, and nothing is lost. A team has at most ${MAX_READERS} open streams: a new one takes the place of a reader that takes nothing, and is answered 429 where there is none.`,
  query: z.object({
    include: z
      .enum(["received"])
      .optional()
      .describe("`received`: also changes of received mail, whose `type` is `received`."),
  }),
  headers: z.object({
    "last-event-id": z.string().optional().describe("The `id` of the last event that was read."),
  }),
  responseType: "text/event-stream",
})
