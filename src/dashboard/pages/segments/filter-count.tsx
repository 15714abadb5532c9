import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { countFilter } from "../../../worker/segments/dashboard-contract.ts"
import type { SegmentFilter } from "../../../worker/segments/filter.ts"
import { call } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { counted, number } from "../../ui/numbers.ts"

const TYPING_MS = 500

interface Props {
  bookId: string
  filter: SegmentFilter
  /** Every condition has its value. */
  isWhole: boolean
}

/** How many contacts an unsaved filter finds. */
export function FilterCount({ bookId, filter, isWhole }: Props) {
  const asked = useSettled(JSON.stringify({ bookId, filter }))
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ["segments", "filter-count", asked],
    queryFn: ({ signal }) =>
      call<typeof countFilter>(
        { method: "POST", path: "/segments/count", body: JSON.parse(asked) },
        { signal },
      ),
    enabled: isWhole && bookId !== "",
    placeholderData: keepPreviousData,
  })
  return (
    <p role="status" className="min-h-5 text-muted">
      {!isWhole
        ? "Complete the conditions to see how many contacts match."
        : isError
          ? "The contacts could not be counted."
          : data && !isPlaceholderData
            ? countWords(data)
            : "Counting…"}
    </p>
  )
}

function countWords({ contactCount, eligibleCount, more }: ReplyOf<typeof countFilter>) {
  if (contactCount === 0) return more ? "No matches among the newest contacts" : "No contacts match"
  const verb = contactCount === 1 ? "matches" : "match"
  const words = `${counted(contactCount, "contact")} ${verb}, ${number(eligibleCount)} can be mailed`
  return more ? `At least ${words}` : words
}

/** The value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
