import { and, eq } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { ownBucket } from "../platform/db/buckets.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { MAX_OBJECTS, objectKeyOf } from "../platform/db/overflow.ts"
import { textsKeyOf } from "./reading/record.ts"
import { receivedEmails, receivedUploads } from "./table.ts"

/** No upload takes as long. */
const LOST_AFTER_MS = DAY_MS
const PAGES_A_SWEEP = 30

/** Deletes what uploads of a team have left whose process died before their row was there. Looks once a day. */
export async function deleteLostUploads(work: Work, teamId: string): Promise<void> {
  const isTeam = eq(receivedUploads.teamId, teamId)
  const [note] = await work.db.select().from(receivedUploads).where(isTeam)
  let checkedTo = note?.checkedTo ?? ""
  if (checkedTo >= firstIdAt("received", work.now() - LOST_AFTER_MS - DAY_MS)) return
  const before = firstIdAt("received", work.now() - LOST_AFTER_MS)
  for (let page = 0; page < PAGES_A_SWEEP && checkedTo < before; page++)
    checkedTo = (await deletePage(work, teamId, { after: checkedTo, before })) ?? before
  await work.db
    .insert(receivedUploads)
    .values({ teamId, checkedTo })
    .onConflictDoUpdate({ target: receivedUploads.teamId, set: { checkedTo } })
}

/** Answers the last message that it has looked at; null if there are no more. */
async function deletePage(
  { env, db }: Work,
  teamId: string,
  { after, before }: { after: string; before: string },
): Promise<string | null> {
  const prefix = objectKeyOf("received", teamId, "")
  const startAfter = textsKeyOf(prefix + after)
  const { objects } = await ownBucket(env).list({ prefix, startAfter, limit: MAX_OBJECTS })
  const found = objects
    .map(({ key }) => ({ key, id: key.slice(prefix.length).split(".")[0] as string }))
    .filter(({ id }) => id < before)
  const ids = [...new Set(found.map(({ id }) => id))]
  const rows = await db
    .select({ id: receivedEmails.id })
    .from(receivedEmails)
    .where(and(eq(receivedEmails.teamId, teamId), isOneOf(receivedEmails.id, ids)))
  const known = new Set(rows.map(({ id }) => id))
  const lost = found.filter(({ id }) => !known.has(id)).map(({ key }) => key)
  if (lost.length > 0) await ownBucket(env).delete(lost)
  return found.length === MAX_OBJECTS ? (ids.at(-1) as string) : null
}
