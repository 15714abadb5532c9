import { iterate } from "../../client/pages.ts"
import { normalizeDomain } from "../../lib/address.ts"
import { newPart, type Part, type Target, take } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"

interface TheirDomain {
  id: string
  name: string
  open_tracking?: boolean
  click_tracking?: boolean
}

export async function importDomains(resend: ResendApi, { client, isDry }: Target): Promise<Part> {
  const part = newPart()
  const own = new Set<string>()
  for await (const { name } of iterate(client.domains.list, { limit: 100 })) own.add(name)
  for await (const theirs of resend.all<TheirDomain>("/domains")) {
    await take(part, theirs.name, async () => {
      if (own.has(normalizeDomain(theirs.name) ?? theirs.name)) return "kept"
      if (!isDry) await client.domains.create({ name: theirs.name })
      return "added"
    })
    if (theirs.open_tracking || theirs.click_tracking) {
      part.notes.push(`${theirs.name} tracks at Resend: here tracking is a setting of the team.`)
    }
  }
  if (part.added > 0) {
    part.notes.push(
      "Resend gives out no DKIM keys: publish the new records, which edgepost domains verify <name> shows. Both services can be in DNS at once.",
    )
  }
  return part
}
