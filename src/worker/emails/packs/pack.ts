import { type SQLWrapper, sql } from "drizzle-orm"
import { gunzip, gzip, isGzip } from "../../../lib/gzip.ts"
import { timeOf } from "../../../lib/id.ts"
import { DAY_MS, SECOND_MS } from "../../../lib/time.ts"
import { untilWon } from "../../../lib/until-won.ts"
import type { Work } from "../../platform/context.ts"
import { findInBuckets } from "../../platform/db/buckets.ts"
import { objectKeyOf, readObject, unlessBeingWritten } from "../../platform/db/overflow.ts"
import type { Env, Settings } from "../../platform/env.ts"
import type { EmailRow } from "../table.ts"

/** Where the content of an email is: a part of an object that is gzip by itself. */
export type PackedEmail = Pick<EmailRow, "teamId" | "id" | "pack" | "packOffset" | "packLength">

const KIND = "packs"

/** The UTC day of an id, such as `2026-11-23`. */
export const dayOf = (emailId: string) => toDay(timeOf(emailId))

const toDay = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Packs of earlier days are purged. */
export const firstKeptDay = (
  { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS }: Settings,
  now: number,
) => toDay(now - Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS) * DAY_MS)

/** Says it without a look into the bucket. */
export const isInPack = (
  { settings, now }: Pick<Work, "settings" | "now">,
  { id, pack }: PackedEmail,
) => pack !== null && dayOf(id) >= firstKeptDay(settings, now())

export const packKey = (teamId: string, day: string, pack: string) =>
  objectKeyOf(KIND, teamId, `${day}/${pack}`)

/** Sorts below the keys of the team's packs of this day and later. */
export const firstKeyOf = (teamId: SQLWrapper, day: string) =>
  sql`${`${KIND}/`} || ${teamId} || ${`/${day}`}`

const keyOf = ({ teamId, id, pack }: PackedEmail) => packKey(teamId, dayOf(id), String(pack))

export const toMember = (stored: Buffer) => (isGzip(stored) ? stored : gzip(stored))

/** Null if the pack is purged or the email is erased. */
export async function readMember(env: Env, email: PackedEmail): Promise<Buffer | null> {
  const { pack, packOffset: offset, packLength: length } = email
  if (pack === null || offset === null || length === null) return null
  const bytes = await readObject(env, keyOf(email), { offset, length })
  return bytes && isGzip(bytes) ? gunzip(bytes) : null
}

/** R2 takes one write of an object a second: https://developers.cloudflare.com/r2/platform/limits/ */
const WRITES_APART_MS = SECOND_MS

/**
 * Puts zeros in place of the contents of some emails of one pack. The others keep their positions, so
 * their readers find them before and after. Other erasures may write the same pack.
 */
export async function eraseMembers(env: Env, emails: readonly PackedEmail[]): Promise<void> {
  const [first] = emails
  if (!first) return
  const key = keyOf(first)
  await untilWon(async () => {
    const found = await findInBuckets(env, async (bucket) => {
      const object = await bucket.get(key)
      return object && { bucket, object }
    })
    if (!found) return "purged"
    const { bucket, object } = found
    const bytes = Buffer.from(await object.arrayBuffer())
    for (const { packOffset, packLength } of emails) {
      bytes.fill(0, packOffset ?? 0, (packOffset ?? 0) + (packLength ?? 0))
    }
    const put = bucket.put(key, bytes, { onlyIf: { etagMatches: object.etag } })
    const written = await put.catch(unlessBeingWritten)
    if (written === undefined) await scheduler.wait(WRITES_APART_MS)
    return written ?? undefined
  })
}

/** Emails grouped by their pack. */
export const byPack = (emails: readonly PackedEmail[]) => [...Map.groupBy(emails, keyOf).values()]
