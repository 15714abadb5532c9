import { chunkBySize } from "../../../lib/chunk.ts"
import type { Env } from "../../platform/env.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import type { EmailReport } from "./report.ts"

/**
 * Messages of the queue `outcomes`: the only copies of what happened.
 * `report`: an event of Cloudflare Email Service, as its own queue delivered it.
 */
export type OutcomesMessage =
  | { kind: "outcomes"; events: EmailReport[]; replayed?: true }
  | { kind: "outcomes"; report: unknown; replayed?: true }

const EVENTS_A_MESSAGE = { count: 100, bytes: 100_000 }

/**
 * Cloudflare Queues store a message before they acknowledge it. An event always fits into a message:
 * `reportOf` bounds its texts.
 */
export const enqueueOutcomes = (
  env: Env,
  events: readonly EmailReport[],
  delaySeconds = 0,
): Promise<void> =>
  enqueueNow<OutcomesMessage>(
    env,
    chunkBySize(events, EVENTS_A_MESSAGE).map((part) => ({ kind: "outcomes", events: part })),
    delaySeconds,
  )
