import { and, eq, type SQL } from "drizzle-orm"
import { formatMailbox } from "../../lib/address.ts"
import type { TeamId, Work } from "../platform/context.ts"
import { notFound } from "../platform/http/errors.ts"
import type { Sequence } from "./contract.ts"
import { type SequenceRow, sequences } from "./table.ts"

export const isSequence = (team: TeamId, id: string | SQL) =>
  and(eq(sequences.teamId, team), eq(sequences.id, id))

export const selectSequence = ({ db }: Pick<Work, "db">, team: TeamId, id: string) =>
  db.select().from(sequences).where(isSequence(team, id))

export function sequenceOrNotFound(row: SequenceRow | undefined): SequenceRow {
  if (row === undefined || row.deletedAt !== null) throw notFound("Sequence")
  return row
}

export const toSequence = ({ entered, finished, ended, ...row }: SequenceRow): Sequence => ({
  ...row,
  from: formatMailbox(row.sender),
  replyTo: row.replyTo && formatMailbox(row.replyTo),
  counts: { entered, active: entered - finished - ended, finished, ended },
})
