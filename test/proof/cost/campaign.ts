import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { consume, type QueueMessage } from "../../../src/worker/consume.ts"
import { runCron } from "../../../src/worker/cron.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import { createWork } from "../../../src/worker/platform/work.ts"
import { makeCampaign, readers, start } from "../../support/campaign.ts"
import type { Run } from "../../support/own-cost.ts"
import type { Team } from "../../support/team.ts"
import { makeClock } from "../../support/work.ts"
import type { Operation } from "./measure.ts"
import { acceptedIds } from "./outside.ts"
import { captured, type Waiting } from "./waiting.ts"

/** As wrangler.toml has them. */
const MESSAGES_A_BATCH = { CAMPAIGNS: 1, SENDS_BULK: 1, OUTCOMES: 100 }
type Binding = keyof typeof MESSAGES_A_BATCH
const BINDINGS = Object.keys(MESSAGES_A_BATCH) as Binding[]
const MAX_MINUTES = 20

/** From the start of the fan-out until each email is delivered and recorded. */
export async function campaignRun(
  team: Team,
  contacts: number,
): Promise<Pick<Operation, "run" | "requests">> {
  const campaignId = await makeCampaign(team, readers(contacts))
  await start(team, campaignId)
  let requests = 0
  const run: Run = async (bindings) => {
    requests = 0
    const clock = makeClock()
    const waiting: Waiting<Binding> = new Map(BINDINGS.map((name) => [name, []]))
    const own = { ...bindings, ...captured(bindings, waiting) }
    const invoke = async (handle: (work: Work) => Promise<unknown>) => {
      requests++
      const execution = createExecutionContext()
      await handle({ ...createWork(own, execution), now: clock.now })
      await waitOnExecutionContext(execution)
    }
    const delivered = new Set<string>()
    for (let minute = 0; delivered.size < contacts; minute++) {
      if (minute === MAX_MINUTES) throw new Error(`Only ${delivered.size} emails were delivered`)
      clock.advance(60_000)
      await invoke(runCron)
      for (;;) {
        const name = BINDINGS.find((binding) => waiting.get(binding)?.length)
        if (!name) break
        const bodies = waiting.get(name)?.splice(0, MESSAGES_A_BATCH[name]) ?? []
        await invoke((work) => consume(work, batchOf(bodies)))
        const reports = acceptedIds()
          .filter((id) => !delivered.has(id))
          .map((emailId) => {
            delivered.add(emailId)
            return reportOf({ teamId: team.id, emailId }, "delivered", clock.now())
          })
        // Whoever takes the provider's reports has sent these messages.
        waiting
          .get("OUTCOMES")
          ?.push(...reports.map((report): QueueMessage => ({ kind: "outcomes", events: [report] })))
      }
    }
  }
  return { run, requests: () => requests }
}

const batchOf = (bodies: readonly QueueMessage[]) =>
  ({
    queue: "edgepost-campaigns",
    messages: bodies.map((body) => ({ body, attempts: 1, retry: () => {}, ack: () => {} })),
  }) as unknown as MessageBatch<QueueMessage>
