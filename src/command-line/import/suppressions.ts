import { toCsv } from "./csv.ts"
import { inGroups } from "./groups.ts"
import type { Part, Target } from "./report.ts"

/** A call names at most 100 addresses that it refuses. */
const ROWS_A_CALL = 100

/** Addresses that nobody may mail, without a known reason. An address that is listed keeps its record. */
export async function storeSuppressions(
  part: Part,
  { client, isDry }: Target,
  emails: AsyncIterable<string>,
  note: string,
): Promise<void> {
  const own = new Set<string>()
  if (isDry)
    for await (const { email } of client.suppressions.iterate({ limit: 100 })) own.add(email)
  for await (const some of inGroups(emails, ROWS_A_CALL)) {
    part.found += some.length
    if (isDry) {
      const known = some.filter((email) => own.has(email.toLowerCase())).length
      part.kept += known
      part.added += some.length - known
      continue
    }
    const rows = some.map((email) => [email, "manual", note])
    const csv = toCsv([["email", "reason", "note"], ...rows])
    const { added, existing, errors } = await client.suppressions.import({ csv })
    part.added += added
    part.kept += existing
    part.failed.push(
      ...errors.map(({ line, email, message }) => ({
        what: email ?? `line ${line}`,
        why: message,
      })),
    )
  }
}
