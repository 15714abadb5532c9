import { hasOthers } from "../../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../../support/installation.ts"
import type { LeavingTeam } from "../deletion.ts"
import type { Member } from "../scenario.ts"
import type { World } from "../world.ts"
import { checkApart, checkMoves } from "./apart.ts"
import { checkChangedWebhooks } from "./changed-webhooks.ts"
import { checkDeletion } from "./deletion.ts"
import { checkEmails, checkLate, checkTimelines } from "./emails.ts"
import { checkBooks, checkCampaigns, checkCounters, checkSuppressions } from "./follow-ups.ts"
import { checkHandovers } from "./handovers.ts"
import { checkContents } from "./provider.ts"
import { checkRate } from "./rate.ts"
import { checkDeadLetters, checkLeftovers, checkStream, checkTold } from "./rest.ts"
import { checkDeliveries, checkEvents } from "./webhooks.ts"

/** What is wrong after the faults, in words; nothing where all is well. */
export async function findWrongs(
  world: World,
  members: readonly Member[],
  leaving?: LeavingTeam,
): Promise<string[]> {
  const wrongs = await Promise.all([
    ...members.flatMap((member) => [
      checkEmails(world, member),
      checkLate(world, member),
      checkTimelines(world, member),
      checkCounters(member),
      checkSuppressions(member),
      checkBooks(member),
      checkCampaigns(member),
      checkEvents(member),
      checkDeliveries(world, member),
      checkChangedWebhooks(world, member),
      checkStream(world, member),
    ]),
    checkLeftovers(),
    checkDeadLetters(world),
    leaving ? checkDeletion(world, leaving) : [],
  ])
  const senders = leaving ? [...members, leaving.member] : members
  const contents = world.provider ? checkContents(world.provider, senders) : []
  const apart = hasOthers(workerEnv())
    ? [...(await checkApart(world, members)), ...(await checkMoves(world))]
    : []
  return [
    ...wrongs.flat(),
    ...checkHandovers(world),
    ...contents,
    ...checkTold(world, leaving?.member.team.id),
    ...apart,
    ...checkRate(world),
  ]
}
