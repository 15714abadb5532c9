import { headerFields, headerValue } from "../../../lib/header-fields.ts"
import { decodeBytes } from "../../emails/raw/read-parts.ts"
import type { ParsedMessage } from "./parse.ts"

/** One for the message, and one for each recipient that an email may have. */
const MAX_GROUPS = 51
const MAX_REPORT_BYTES = 256 * 1024

export type ReportFields = ReadonlyMap<string, string>

/** The groups of fields of a report: one of the message, then one for each recipient. */
export async function readGroups(
  { parts, bytes }: Pick<ParsedMessage, "parts" | "bytes">,
  types: readonly string[],
): Promise<ReportFields[]> {
  const part = parts.find(({ type, isAttached }) => types.includes(type) && !isAttached)
  if (!part) return []
  const end = Math.min(part.end, part.start + MAX_REPORT_BYTES)
  const text = (await decodeBytes(bytes, { ...part, end })).toString("latin1")
  return text
    .split(/\r?\n[ \t]*\r?\n/, MAX_GROUPS)
    .map(
      (block) =>
        new Map(
          headerFields(block).flatMap((field) =>
            field.name === null ? [] : [[field.name, headerValue(field)] as const],
          ),
        ),
    )
}
