import { DIRECTORY } from "../../src/worker/platform/db/databases.ts"
import { askCancel, askMove, selectMove } from "../../src/worker/teams/moving/request.sql.ts"
import { directory } from "../support/installation.ts"
import { runIn } from "../support/rows-of-team.ts"
import type { Action } from "./actions.ts"
import { databaseOf, moveHome } from "./homes.ts"
import type { Member } from "./scenario.ts"
import type { World } from "./world.ts"

const LOOKS_AFTER_MS = 60_000
const ASKS_AGAIN_AFTER_MS = 5 * 60_000
const CANCELS = 0.3

/**
 * An operator moves the first team, to the directory or to where the second team is. A move that was
 * taken back is asked for again, until the team is there.
 */
export function moveTeam(world: World, { team }: Member, { team: other }: Member): Action {
  const source = databaseOf(team.id).database ?? DIRECTORY
  const target =
    world.draw("target of the move") < 0.5
      ? DIRECTORY
      : (databaseOf(other.id).database ?? DIRECTORY)

  async function hasEnded(): Promise<boolean> {
    const [move] = (await runIn(directory, selectMove(team.id))).results
    return !move || move.phase === "kept"
  }

  return async () => {
    for (let asked = 1; (await placeOf(team.id)) !== target; asked++) {
      await runIn(directory, askMove(team.id, { source, target, now: world.clock.now() }))
      world.note(`the move of ${team.id} from ${source} to ${target} begins, time ${asked}`)
      while (!(await hasEnded())) {
        await world.actions.sleep(LOOKS_AFTER_MS)
        if (asked > 1 || world.draw("cancels the move") >= CANCELS) continue
        await runIn(directory, askCancel(team.id))
      }
      if ((await placeOf(team.id)) === target) break
      world.note(`the move of ${team.id} was taken back`)
      await world.actions.sleep(ASKS_AGAIN_AFTER_MS)
    }
    world.moves.done++
    moveHome(team.id, target)
  }
}

async function placeOf(teamId: string): Promise<number> {
  const row = await directory
    .prepare("select database from team_databases where team_id = ?")
    .bind(teamId)
    .first<{ database: number }>()
  return row?.database ?? DIRECTORY
}
