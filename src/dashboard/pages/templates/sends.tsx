import { useQuery } from "@tanstack/react-query"
import { Link } from "../../app/link.tsx"
import { number } from "../../ui/numbers.ts"
import { seriesQuery, stepsOf } from "../metrics/data.ts"

/** How many emails were sent with the template. */
export function Sends({ templateId }: { templateId: string }) {
  const { data } = useQuery(seriesQuery({ ...stepsOf("30d"), templateId }))
  if (!data) return null
  return (
    <Link to={`/metrics?template=${templateId}`} className="underline">
      {number(data.totals.sent)} sent in 30 days
    </Link>
  )
}
