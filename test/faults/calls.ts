import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"
import type { Team } from "../support/team.ts"
import type { World } from "./world.ts"

export const at = (mailbox: string, label: string) => `${mailbox}+${label}@${SIMULATOR_HOST}`

const LONGEST_WAIT_MS = 5 * 60_000

/** A client repeats what was not answered, with the same idempotency key. In an outage it waits. */
export async function call(world: World, team: Team, method: string, path: string, body?: unknown) {
  for (let tries = 0; tries < 50; tries++) {
    const reply = await world.request(method, path, { key: team.api.key, body })
    if (reply && reply.status < 500) return reply
    if (world.outages) await world.actions.sleep(Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** tries))
  }
  throw new Error(`${method} ${path} was never answered`)
}
