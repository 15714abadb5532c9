import { useQuery } from "@tanstack/react-query"
import type { countEmails } from "../../../worker/emails/list/contract.ts"
import { call } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { counted, number } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import { toListQuery } from "./search/query.ts"

type Count = ReplyOf<typeof countEmails>

export const countKey = (q: string) => ["email-count", q]

interface Props {
  q: string
  /** How many rows are known to match, if the list is whole. */
  known: number | undefined
}

/** How many emails match. Asked for after the rows. */
export function EmailCount({ q, known }: Props) {
  const { data } = useQuery({
    queryKey: countKey(q),
    queryFn: ({ signal }) =>
      call<typeof countEmails>(
        { method: "GET", path: "/emails/count", query: { ...toListQuery(q) } as never },
        { signal },
      ),
    enabled: known === undefined,
  })
  const count: Count | undefined = known === undefined ? data : { count: known, more: false }
  return (
    <p role="status" className="min-h-5 text-muted">
      {count && <CountText {...count} />}
    </p>
  )
}

function CountText({ count, more, searchedUntil }: Count) {
  if (more) return `More than ${number(count)} emails`
  if (!searchedUntil) return counted(count, "email")
  return (
    <>
      {counted(count, "email")} since <Time at={searchedUntil} />. Older emails are not counted.
    </>
  )
}
