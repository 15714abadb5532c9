import { sessionOf } from "../support/session.ts"
import type { Action } from "./actions.ts"
import { callAsMember } from "./calls.ts"
import { incompressible, type Member, prepareTeam, send, startCampaign } from "./scenario.ts"
import type { World } from "./world.ts"

const CONTACTS = 6
const SCHEDULED_IN_SECONDS = [5, 15, 40, 90]
const WITHIN_MS = 30_000

/** A team that its owner deletes while faults happen. */
export interface LeavingTeam {
  member: Member
  /** The cookie of its owner. */
  cookie: string
  /** The latest invocation that had begun when the deletion was answered. */
  endedAt: number
}

export async function prepareLeaving(world: World): Promise<LeavingTeam> {
  const member = await prepareTeam(world, CONTACTS)
  return { member, cookie: await sessionOf(member.team.id, "owner"), endedAt: Number.NaN }
}

/** Mail of every kind is under way when the owner deletes the team. */
export const leave = (world: World, leaving: LeavingTeam): Action[] => [
  async () => {
    const { member, cookie } = leaving
    await send(world, member, "success", "leaving-large", { text: incompressible(world) })()
    for (const seconds of SCHEDULED_IN_SECONDS) {
      await send(world, member, "success", `leaving-in-${seconds}`, {}, seconds)()
    }
    for (const mailbox of ["flaky", "delay"])
      await send(world, member, mailbox, `leaving-${mailbox}`)()
    await startCampaign(world, member)()
    await world.actions.sleep(world.draw("deletion") * WITHIN_MS)
    const name = `Team ${member.team.domain}`
    const { status } = await callAsMember(world, cookie, "POST", "/team/delete", { name })
    // The first try may have been done without an answer.
    if (![202, 401, 403, 404].includes(status)) throw new Error(`A deletion answered ${status}`)
    leaving.endedAt = world.latest()
    world.note(`${member.team.id} is deleted`)
  },
]
