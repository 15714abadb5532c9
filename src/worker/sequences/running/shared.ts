import { eq, sql } from "drizzle-orm"
import { domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { readHappenings } from "../../segments/activities.ts"
import type { Condition } from "../../segments/filter.ts"
import { happeningsOf } from "../../segments/matches.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { suppressions } from "../../suppressions/table.ts"
import { type Definition, nameOf } from "../definition/advance.ts"
import { allSteps, type Step } from "../definition/steps-contract.ts"
import { type SequenceRow, sequenceBodies, sequences, sequenceVersions } from "../table.ts"
import type { DueRun } from "./due.ts"

/** What the runs of a sequence have in common. */
export interface SharedFacts {
  row: SequenceRow
  definition: Definition
  /** The steps of older versions. */
  versions: ReadonlyMap<number, readonly Step[]>
  cannotSend: string | null
  /** By contact: what is true of the conditions on what happened. */
  happened: ReadonlyMap<string, ReadonlyMap<string, boolean>>
  /** Contacts whose address is suppressed in its erased form. */
  erased: ReadonlySet<string>
}

export const definitionOf = (
  row: Pick<SequenceRow, "steps" | "goal" | "endOnReply" | "window" | "status">,
  required: Definition["required"],
): Definition => ({ ...row, required, isArchived: row.status === "archived" })

/** The conditions on what happened that a sequence asks for, each once. */
export function conditionsIn({ steps, goal }: Pick<Definition, "steps" | "goal">): Condition[] {
  const filters = allSteps(steps).flatMap((step) =>
    step.kind === "branch" ? step.cases.map(({ filter }) => filter) : [],
  )
  const all = [...filters, ...(goal ? [goal] : [])].flatMap(happeningsOf)
  return [...new Map(all.map((one) => [nameOf(one), one])).values()]
}

/** By sequence. */
export async function readShared(
  work: Work,
  runs: readonly DueRun[],
): Promise<Map<string, SharedFacts>> {
  const bySequence = Map.groupBy(runs, ({ sequenceId }) => sequenceId)
  const x = jsonFields<DueRun>()
  const these = jsonRows(
    runs.map(({ teamId, sequenceId, version }) => ({ teamId, sequenceId, version })),
  )
  const isAsked = sql`(select ${x.teamId}, ${x.sequenceId} from ${these})`
  const [rows, verified, versions, required, erased] = await work.db.batch([
    work.db
      .select()
      .from(sequences)
      .where(sql`(${sequences.teamId}, ${sequences.id}) in ${isAsked}`),
    work.db
      .select({ id: sequences.id })
      .from(sequences)
      .innerJoin(
        domains,
        sql`${eq(domains.teamId, sequences.teamId)} and ${eq(domains.id, sequences.domainId)}
          and ${domains.status} = 'verified'`,
      )
      .where(sql`(${sequences.teamId}, ${sequences.id}) in ${isAsked}`),
    work.db
      .select()
      .from(sequenceVersions)
      .where(sql`(${sequenceVersions.teamId}, ${sequenceVersions.sequenceId}, ${sequenceVersions.version})
        in (select ${x.teamId}, ${x.sequenceId}, ${x.version} from ${these})
        and not exists (select 1 from sequences where ${sequences.teamId} = ${sequenceVersions.teamId}
          and ${sequences.id} = ${sequenceVersions.sequenceId}
          and ${sequences.version} = ${sequenceVersions.version})`),
    work.db
      .select({
        sequenceId: sequenceBodies.sequenceId,
        version: sequenceBodies.version,
        stepKey: sequenceBodies.stepKey,
        required: sequenceBodies.required,
      })
      .from(sequenceBodies)
      .where(sql`(${sequenceBodies.teamId}, ${sequenceBodies.sequenceId}) in ${isAsked}
        and ${sequenceBodies.required} <> '[]'`),
    selectErasedContacts(work, runs),
  ])
  const isVerified = new Set(verified.map(({ id }) => id))
  const shared = new Map<string, SharedFacts>()
  for (const row of rows) {
    const ofRow = required.filter((one) => one.sequenceId === row.id && one.version === row.version)
    const definition = definitionOf(row, new Map(ofRow.map((one) => [one.stepKey, one.required])))
    shared.set(row.id, {
      row,
      definition,
      versions: new Map(
        versions.flatMap((one) => (one.sequenceId === row.id ? [[one.version, one.steps]] : [])),
      ),
      cannotSend: isVerified.has(row.id) ? null : "The sending domain is not verified.",
      happened: await readHappened(work, row, definition, bySequence.get(row.id) ?? []),
      erased: new Set(erased.map(({ contactId }) => contactId)),
    })
  }
  return shared
}

function selectErasedContacts({ db, settings }: Work, runs: readonly DueRun[]) {
  const x = jsonFields<{ teamId: string; contactId: string; erased: string }>()
  const contacts = runs.flatMap(({ teamId, contact }) =>
    contact ? [{ teamId, contactId: contact.id, erased: erasedForm(settings, contact.email) }] : [],
  )
  return db.all<{ contactId: string }>(sql`
    select ${x.contactId} as contactId from ${jsonRows(contacts)}
    cross join suppressions
      on ${suppressions.teamId} = ${x.teamId} and ${suppressions.email} = ${x.erased}`)
}

async function readHappened(
  work: Work,
  { teamId }: SequenceRow,
  definition: Definition,
  runs: readonly DueRun[],
) {
  const conditions = conditionsIn(definition)
  const contacts = runs.flatMap(({ contact }) => contact ?? [])
  if (conditions.length === 0) return new Map<string, Map<string, boolean>>()
  const found = await readHappenings(work, teamId, conditions, contacts)
  const names = conditions.map(nameOf)
  return new Map(
    [...found].map(([id, holds]) => [
      id,
      new Map(names.map((name, at) => [name, holds[at] === true])),
    ]),
  )
}
