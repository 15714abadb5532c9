import { setTimeout as sleep } from "node:timers/promises"
import type { Domain, Edgepost } from "../../client/index.ts"
import { UsageError } from "../terminal/failure.ts"

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 500
const SIMULATOR = "simulator.amazonses.com"

export interface Trial {
  client: Edgepost
  baseUrl: string
  domain: Domain
  from: string
  /** A new name for what is made. */
  label: string
  say(step: string): void
  signal: AbortSignal
}

/** Makes an event of the type happen. Answers the ids of what it is about. */
export type Trigger = (trial: Trial) => Promise<object>

/** Only the sandbox plays this event. */
export function inSandbox(trigger: Trigger): Trigger {
  return (trial) => {
    if (trial.domain.provider !== "sandbox") throw cannot(trial.domain, "the sandbox")
    return trigger(trial)
  }
}

const cannot = ({ provider }: Domain, needed: string) =>
  new UsageError(
    `The provider ${provider} cannot play this event, only ${needed} can. 'edgepost webhooks test ID' sends a test event to one webhook.`,
  )

export function assertSimulator(domain: Domain): void {
  if (!["sandbox", "ses"].includes(domain.provider)) throw cannot(domain, "the sandbox or SES")
}

export const simulated = ({ label }: Trial, mailbox: string) => `${mailbox}+${label}@${SIMULATOR}`

export async function until<T>(
  { signal }: Trial,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`Waited a minute for ${what}.`)
    await sleep(LOOK_EVERY_MS, null, { signal })
  }
}
