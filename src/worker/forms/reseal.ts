import { and, eq, isNotNull, sql } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { reseal, sealedByFirst } from "../../lib/seal.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { forms } from "./table.ts"

/** Seals up to `size` Turnstile secrets anew with the first key, and answers those that it has changed. */
export async function resealForms(work: Work, size: number) {
  const { db, settings } = work
  const first = sealedByFirst(settings)
  const found = await db
    .select({ teamId: forms.teamId, id: forms.id, secret: forms.turnstileSecret })
    .from(forms)
    .where(
      and(
        isNotNull(forms.turnstileSecret),
        sql`substr(${forms.turnstileSecret}, 1, ${first.length}) <> ${first}`,
      ),
    )
    .limit(size)
  const updates = found.flatMap(({ teamId, id, secret }): Query[] => {
    try {
      const isForm = and(eq(forms.teamId, teamId), eq(forms.id, id))
      return [
        db
          .update(forms)
          .set({ turnstileSecret: reseal(settings, id, secret ?? "") })
          .where(and(isForm, eq(forms.turnstileSecret, secret ?? ""))),
      ]
    } catch (error) {
      // Its key is no longer in the settings.
      logError(error, { form: id })
      return []
    }
  })
  const [update, ...more] = updates
  if (update) await db.batch([update, ...more])
  return updates
}
