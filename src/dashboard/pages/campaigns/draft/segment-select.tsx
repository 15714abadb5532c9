import { useQuery } from "@tanstack/react-query"
import { SelectField } from "../../../ui/menu/select.tsx"
import { counted } from "../../../ui/numbers.ts"
import { segmentsQuery } from "../../segments/data.ts"
import type { Content, Update } from "./use-draft.ts"

/** Shown once the book has a segment. */
export function SegmentSelect({
  content: { bookId, segmentId },
  update,
  error,
}: {
  content: Content
  update: Update
  error: string | undefined
}) {
  const { data: segments } = useQuery(segmentsQuery(bookId))
  if (!segments || (segments.length === 0 && segmentId === null)) return null
  const isGone = segmentId !== null && !segments.some(({ id }) => id === segmentId)
  return (
    <SelectField
      label="Segment"
      hint="Checked again when sending starts."
      error={isGone ? "This segment was deleted" : error}
      value={segmentId ?? ""}
      onChange={(segmentId) => update({ segmentId: segmentId || null })}
      options={[
        ["", "None: everyone in the book"],
        ...(isGone ? [[segmentId, "Deleted segment"] as const] : []),
        ...segments.map(
          ({ id, name, contactCount }) =>
            [
              id,
              contactCount === null ? name : `${name} (${counted(contactCount, "contact")})`,
            ] as const,
        ),
      ]}
    />
  )
}
