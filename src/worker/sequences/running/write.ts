import { chunkBySize } from "../../../lib/chunk.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import type { Decision } from "./decide.ts"
import { rowsOf } from "./decided-rows.ts"
import {
  changeContacts,
  countRuns,
  countSteps,
  moveRuns,
  storeMail,
  storeRunEvents,
} from "./write.sql.ts"
import type { Written } from "./written.ts"

/**
 * Writes what was decided of runs, in one batch. Each run is written once, whoever else has decided
 * the same: the visit guards all of it. Answers how many runs were moved.
 */
export async function writeDecisions(work: Work, decisions: readonly Decision[]): Promise<number> {
  const parts = chunkBySize(
    decisions.map((decision) => rowsOf(work, decision)),
    WRITTEN_AT_ONCE,
  )
  let moved = 0
  for (const part of parts) moved += await writePart(work, part)
  return moved
}

/** D1 binds 2 MB a value. */
const WRITTEN_AT_ONCE = { count: 200, bytes: 1_000_000 }

async function writePart(work: Work, parts: readonly Written[]): Promise<number> {
  const all = <Name extends keyof Written>(name: Name) =>
    parts.flatMap((part) => part[name] as Written[Name][number][]) as Written[Name]
  const { moved } = await commit(work, {
    events: storeRunEvents(work, all("events")),
    contacts: all("changes").length > 0 ? [changeContacts(work, all("changes"))] : [],
    mail: all("mails").length > 0 ? storeMail(work, all("mails")) : [],
    steps: all("counted").length > 0 ? [countSteps(work, all("counted"))] : [],
    counts: countRuns(work, all("moved")),
    moved: moveRuns(work, all("moved")),
  })
  return moved.length
}
