import { useQueries } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Email } from "../../../client/types.ts"
import { chunk } from "../../../lib/chunk.ts"
import type { readMarks } from "../../../worker/emails/several-contract.ts"
import { call } from "../../api/api.ts"
import { useChanges } from "../../api/live.ts"
import { queries } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"

export type Marks = ReplyOf<typeof readMarks>["data"][number]

/** An email as a list shows it. The marks come a moment later. */
export interface MarkedEmail extends Email {
  marks?: Marks | undefined
}

const EMAILS_A_CALL = 100
const MARKS = "email-marks"

const marksQuery = (ids: string) => ({
  queryKey: [MARKS, ids],
  queryFn: () => call<typeof readMarks>({ method: "GET", path: "/email-marks", query: { ids } }),
})

/** The rows with whether they were opened and clicked, and why they bounced. */
export function useMarked(rows: readonly Email[]): MarkedEmail[] {
  // From the oldest on, so that new rows leave the other parts as they are.
  const parts = chunk(rows.toReversed(), EMAILS_A_CALL).map((part) =>
    part.map(({ id }) => id).join(","),
  )
  const marks = useQueries({
    queries: parts.map(marksQuery),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  })
  useChanges("email", async (changed) => {
    const isChanged = (ids: unknown) =>
      String(ids)
        .split(",")
        .some((id) => changed.has(id))
    await queries.invalidateQueries({
      predicate: ({ queryKey: [name, ids] }) => name === MARKS && isChanged(ids),
    })
  })
  return useMemo(() => {
    const byId = new Map(marks.map((one) => [one.id, one]))
    return rows.map((row) => ({ ...row, marks: byId.get(row.id) }))
  }, [rows, marks])
}
