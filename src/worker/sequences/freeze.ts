import type { SQL } from "drizzle-orm"
import { sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { insertInto } from "../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import type { StoredBody } from "./compose.ts"
import { type SequenceRow, sequenceBodies, sequences, sequenceVersions } from "./table.ts"

/** Keeps the steps and the bodies of a version, if the condition on `sequences` holds. */
export function freezeVersion(
  { db }: Pick<Work, "db">,
  { teamId, id, version, steps }: Pick<SequenceRow, "teamId" | "id" | "version" | "steps">,
  bodies: readonly StoredBody[],
  condition: SQL | undefined,
): Query[] {
  const rows = bodies.map((one) => ({ ...one, required: JSON.stringify(one.required) }))
  const x = jsonFields<(typeof rows)[number]>()
  return [
    db.run(sql`
      ${insertInto(
        sequenceVersions,
        { teamId, sequenceId: id, version, steps: JSON.stringify(steps) },
        sql`from ${sequences} where ${condition}`,
      )} on conflict do nothing`),
    db.run(sql`
      ${insertInto(
        sequenceBodies,
        {
          teamId,
          sequenceId: id,
          version,
          stepKey: x.stepKey,
          body: x.body,
          objectKey: x.objectKey,
          required: x.required,
        },
        sql`from ${sequences} cross join ${jsonRows(rows)} where ${condition}`,
      )} on conflict do nothing`),
  ]
}
