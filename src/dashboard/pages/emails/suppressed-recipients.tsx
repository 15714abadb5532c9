import { useQuery } from "@tanstack/react-query"
import type { EmailWithEvents, Suppression } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { CAUSES } from "../suppressions/reasons.ts"
import { bareAddress } from "./why.tsx"

const MOST_ASKED = 10

async function findSuppression(address: string): Promise<Suppression[]> {
  const { data } = await api.suppressions.list({ q: address, limit: 1 })
  return data.filter(({ email }) => email === address)
}

/** Who would not get the email if it were sent again. */
export function SuppressedRecipients({ email }: { email: EmailWithEvents }) {
  const { to, cc, bcc } = email
  const addresses = [...to, ...cc, ...bcc].map((one) => bareAddress(one).toLowerCase())
  const { data = [] } = useQuery({
    queryKey: ["suppressions", "of", email.id],
    queryFn: async () =>
      (await Promise.all(addresses.slice(0, MOST_ASKED).map(findSuppression))).flat(),
    staleTime: 0,
  })
  if (data.length === 0) return null
  return (
    <ul role="status" className="grid gap-1">
      {data.map(({ email: address, reason }) => (
        <li key={address} className="wrap-anywhere">
          {address} is suppressed ({CAUSES[reason]}) and will not get it.{" "}
          <Link to={`/recipients/${encodeURIComponent(address)}`} className="underline">
            See the suppression
          </Link>
        </li>
      ))}
    </ul>
  )
}
