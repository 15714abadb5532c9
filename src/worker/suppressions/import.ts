import { normalizeAddress } from "../../lib/address.ts"
import { createReader } from "../../lib/consent/columns.ts"
import type { ConsentMeaning } from "../../lib/consent/meanings.ts"
import { KNOWN_COLUMNS } from "../../lib/contact-columns.ts"
import { unquoteFormula } from "../../lib/formula.ts"
import { type CsvRow, readCsv } from "../contacts/import/csv.ts"
import { IMPORT_MAX_ERRORS } from "../contacts/import/import-limits.ts"
import type { Ctx } from "../platform/context.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { invalid } from "../platform/http/errors.ts"
import {
  type importSuppressions as contract,
  restoreSuppression,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from "./contract.ts"
import { type NewSuppression, storeImported } from "./suppressions.ts"

/** A caller may repeat an import that failed half-way. */
export async function importSuppressions(
  ctx: Ctx,
  { csv, reason }: InputOf<typeof contract>["json"],
): Promise<OutputOf<typeof contract>> {
  const [header, ...rows] = await readCsv(csv)
  const names = (header?.cells ?? []).map((name) => name.toLowerCase())
  const emailAt = names.findIndex((name) => KNOWN_COLUMNS.get(name) === "email")
  if (emailAt === -1) throw invalid(["csv"], "The header has no column 'email'")
  const byEmail = new Map<string, NewSuppression>()
  const errors: OutputOf<typeof contract>["errors"] = []
  for (const row of rows) {
    const cell = row.cells[emailAt] ?? ""
    const email = normalizeAddress(unquoteFormula(cell))
    if (!email) {
      const message = cell ? "Not an email address" : "No email address"
      errors.push({ line: row.line, email: cell.slice(0, 320) || null, message })
    } else if (!byEmail.has(email)) byEmail.set(email, readEntry(names, row, email, reason))
  }
  const added = await storeImported(ctx, [...byEmail.values()])
  return { added, existing: byEmail.size - added, errors: errors.slice(0, IMPORT_MAX_ERRORS) }
}

const REASONS: { [Meaning in ConsentMeaning]?: SuppressionReason } = {
  unsubscribed: "unsubscribe",
  bounced: "bounce",
  complained: "complaint",
}
const readMeaning = createReader("reason", "status")
const { note, sourceEmailId, createdAt } = restoreSuppression.json.shape

/** What cannot be read of a row is left out: its address counts. */
function readEntry(
  names: readonly string[],
  { cells }: CsvRow,
  email: string,
  otherwise: SuppressionReason,
): NewSuppression {
  const cell = (name: string) => cells[names.indexOf(name)] || null
  const own = cell("reason") ?? ""
  const since = createdAt.safeParse(cell("created_at")).data
  return {
    email,
    reason:
      SUPPRESSION_REASONS.find((reason) => reason === own.toLowerCase()) ??
      REASONS[readMeaning(own) ?? "skip"] ??
      otherwise,
    note: note.safeParse(unquoteFormula(cell("note") ?? "")).data || null,
    ...(since !== undefined && { createdAt: since }),
    sourceEmailId: sourceEmailId.safeParse(cell("source_email_id")).data ?? null,
  }
}
