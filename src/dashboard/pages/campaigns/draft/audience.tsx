import { useQuery } from "@tanstack/react-query"
import type { Campaign } from "../../../../client/types.ts"
import { counted, number } from "../../../ui/numbers.ts"
import { audienceQuery } from "../data.ts"

/** Whom the campaign would be sent to, in words. */
export function AudienceWords({ campaign }: { campaign: Campaign }) {
  const { data, error } = useQuery(audienceQuery(campaign))
  if (error) return <span>The audience could not be counted.</span>
  if (!data) return <span>Counting…</span>
  const { contacts, subscribed, suppressed, eligible } = data
  return (
    <span>
      <strong className="text-ink">{counted(eligible, "contact")}</strong> will receive it.
      Subscribed: {number(subscribed)} of {number(contacts)}
      {suppressed > 0 && `, suppressed: ${number(suppressed)}`}.
    </span>
  )
}
