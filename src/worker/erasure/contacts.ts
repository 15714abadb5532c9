import { inRounds } from "../../lib/rounds.ts"
import { removeAddress } from "../contacts/remove-address.ts"
import type { Contact } from "../contacts/shapes.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import type { Settings } from "../platform/env.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { rewriteEvents, selectContactEvents } from "../webhooks/events/rewrite.ts"

const ROUNDS = { size: 200 }

export async function eraseContacts(work: Work, teamId: string, email: string): Promise<number> {
  const books = await removeAddress(work, teamId, email)
  await eraseContactEvents(work, teamId, email)
  return books
}

/** Rewritten events are not found again, so each round finds the next ones. */
const eraseContactEvents = (work: Work, teamId: string, email: string) =>
  inRounds(ROUNDS, async (size) => {
    const changed = await selectContactEvents(work, teamId, email, size)
    const rewritten = changed.map((event) => ({
      ...event,
      before: event.data,
      data: { contact: forgotten(work.settings, JSON.parse(event.data)) },
    }))
    await commit(work, rewriteEvents(work, teamId, rewritten))
    return changed
  })

/** Only the ids and the dates stay. */
const forgotten = (settings: Settings, { contact }: { contact: Contact }): Contact => ({
  ...contact,
  email: erasedForm(settings, contact.email),
  firstName: null,
  lastName: null,
  properties: {},
  unsubscribeReason: null,
  topics: {},
})
