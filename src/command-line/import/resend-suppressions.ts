import { inGroups } from "./groups.ts"
import { newPart, type Part, type Target, take } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"

interface TheirSuppression {
  id: string
  email: string
  origin: string
  created_at: string
}

const AT_ONCE = 5

export async function importSuppressions(resend: ResendApi, target: Target): Promise<Part> {
  const part = newPart()
  const { client, isDry } = target
  const own = new Set<string>()
  for await (const { email } of client.suppressions.iterate({ limit: 100 })) own.add(email)
  const add = ({ email, origin, created_at }: TheirSuppression) =>
    take(part, email, async () => {
      if (own.has(email.toLowerCase())) return "kept"
      const note = `From Resend: ${origin}, ${created_at}`
      if (!isDry) await client.suppressions.add({ email, note })
      return "added"
    })
  for await (const some of inGroups(resend.all<TheirSuppression>("/suppressions"), AT_ONCE)) {
    await Promise.all(some.map(add))
  }
  if (part.added > 0) {
    part.notes.push(
      "Their reason is manual here; the note keeps what Resend says: bounce, complaint or manual.",
    )
  }
  return part
}
