import type { Email, EmailWithEvents, Suppression } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"

export const bareAddress = (mailbox: string) => /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox

/** Everybody that an email goes to. One that only has `bcc` has nobody in `to`. */
export const recipientsOf = ({ to, cc, bcc }: Pick<Email, "to" | "cc" | "bcc">) => [
  ...to,
  ...cc,
  ...bcc,
]

const MOST_ASKED = 10

async function findSuppression(address: string): Promise<Suppression[]> {
  const { data } = await api.suppressions.list({ q: address, limit: 1 })
  return data.filter(({ email }) => email === address)
}

/** The suppressions of an email's recipients. */
export const suppressionsQuery = (email: EmailWithEvents) => ({
  queryKey: ["suppressions", "of", email.id],
  queryFn: async () => {
    const addresses = recipientsOf(email).map((one) => bareAddress(one).toLowerCase())
    return (await Promise.all(addresses.slice(0, MOST_ASKED).map(findSuppression))).flat()
  },
  staleTime: 0,
})
