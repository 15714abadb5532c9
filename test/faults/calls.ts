import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"
import type { Team } from "../support/team.ts"
import type { World } from "./world.ts"

export const at = (mailbox: string, label: string) => `${mailbox}+${label}@${SIMULATOR_HOST}`

const LONGEST_WAIT_MS = 5 * 60_000
/** An erasure makes some twenty calls, and one fault among them ends it. */
const TRIES = 500

/** One call with the team's key. Null where it had no answer. */
export const ask = (world: World, { api }: Team, method: string, path: string, body?: unknown) =>
  world.request(method, `/api/v1${path}`, {
    headers: { authorization: `Bearer ${api.key}` },
    body,
  })

/** A client repeats what was not answered, with the same idempotency key. */
export const call = (world: World, team: Team, method: string, path: string, body?: unknown) =>
  repeat(world, `${method} ${path}`, () => ask(world, team, method, path, body))

/** The same with the session of a member of the team. */
export const callAsMember = (
  world: World,
  cookie: string,
  method: string,
  path: string,
  body?: unknown,
) =>
  repeat(world, `${method} ${path}`, () =>
    world.request(method, `/dashboard/api${path}`, { headers: { cookie }, body }),
  )

/** Repeats a call until it has an answer. During an outage it waits between the tries. */
export async function repeat(world: World, what: string, once: () => ReturnType<World["request"]>) {
  for (let tries = 0; tries < TRIES; tries++) {
    const reply = await once()
    if (reply && reply.status < 500) return reply
    if (world.outages) await world.actions.sleep(Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** tries))
  }
  throw new Error(`${what} was never answered`)
}
