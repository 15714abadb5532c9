import type { EmailWithEvents, Suppression } from "../../../client/types.ts"
import { api } from "../../api/api.ts"

export const bareAddress = (mailbox: string) => /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox

const MOST_ASKED = 10

async function findSuppression(address: string): Promise<Suppression[]> {
  const { data } = await api.suppressions.list({ q: address, limit: 1 })
  return data.filter(({ email }) => email === address)
}

/** The suppressions of an email's recipients. */
export const suppressionsQuery = ({ id, to, cc, bcc }: EmailWithEvents) => ({
  queryKey: ["suppressions", "of", id],
  queryFn: async () => {
    const addresses = [...to, ...cc, ...bcc].map((one) => bareAddress(one).toLowerCase())
    return (await Promise.all(addresses.slice(0, MOST_ASKED).map(findSuppression))).flat()
  },
  staleTime: 0,
})
