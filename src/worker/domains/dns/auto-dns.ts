import { and, eq, ne, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { commit, type Statement } from "../../platform/db/commit.ts"
import type { Settings } from "../../platform/env.ts"
import { callCloudflare, findZone } from "../../providers/cloudflare/api.ts"
import { isClaim, isClaimedByOthers } from "../competing-claims.ts"
import type { DnsRecord } from "../contract.ts"
import { isProof } from "../proof.ts"
import { type DomainRow, domains, type WrittenRecord } from "../table.ts"

/** Whether the installation's token reaches the domain's zone. */
export async function isInAccount(settings: Settings, domain: string): Promise<boolean> {
  const zone = await findZone(settings, domain)
  return zone.ok && zone.result !== null
}

/**
 * Writes the records into the domain's zone. Null if the installation has no token, or its account
 * does not have the zone. Existing records are never overwritten.
 */
export async function writeDnsRecords(
  settings: Settings,
  domain: string,
  records: readonly DnsRecord[],
): Promise<WrittenRecord[] | null> {
  if (!settings.CLOUDFLARE_API_TOKEN) return null
  const zone = await findZone(settings, domain)
  if (!zone.ok || zone.result === null) return null
  const written: WrittenRecord[] = []
  for (const record of records) {
    const recordId = await writeRecord(settings, zone.result.id, record)
    if (recordId) written.push({ zoneId: zone.result.id, recordId })
  }
  return written
}

/** Notes the records that were written. If the domain was deleted meanwhile, they are removed again. */
export async function keepWritten(
  work: Work,
  domain: Pick<DomainRow, "teamId" | "id" | "name">,
  written: WrittenRecord[],
  audit: Statement[] = [],
): Promise<DomainRow | undefined> {
  const { updated } = await commit(work, {
    updated: work.db
      .update(domains)
      .set({ dnsMode: "auto", writtenRecords: withWritten(written) })
      .where(and(eq(domains.teamId, domain.teamId), eq(domains.id, domain.id)))
      .returning(),
    audit,
  })
  if (!updated[0]) await removeDnsRecords(work, { ...domain, writtenRecords: written })
  return updated[0]
}

/** Adds these to what the row has by now: two calls may write records at once. */
const withWritten = (written: readonly WrittenRecord[]) =>
  sql`(select json_group_array(json(value)) from (
    select value from json_each(${domains.writtenRecords})
    union all select value from json_each(${JSON.stringify(written)})))`

async function writeRecord(settings: Settings, zoneId: string, record: DnsRecord) {
  const { type, name, value, priority } = record
  const path = `/zones/${zoneId}/dns_records`
  const present = await callCloudflare<{ content: string }[]>(
    settings,
    "GET",
    `${path}?type=${type}&name=${name}`,
  )
  if (!present.ok) return null
  // Each row has a proof of its own. Of the other records, a name has one.
  const isWritten = isProof(record)
    ? present.result.some(({ content }) => content.includes(value))
    : present.result.length > 0
  if (isWritten) return null
  const created = await callCloudflare<{ id: string }>(settings, "POST", path, {
    type,
    name,
    content: type === "TXT" ? `"${value}"` : value,
    ttl: 1,
    ...(type === "CNAME" && { proxied: false }),
    ...(priority !== null && { priority }),
  })
  return created.ok ? created.result.id : null
}

/**
 * Deletes the records that the service wrote; answers how many could not be deleted. If other rows
 * claim the name, too, the records stay, and go with the last of the rows.
 */
export async function removeDnsRecords(
  work: Work,
  domain: Pick<DomainRow, "teamId" | "id" | "name" | "writtenRecords">,
): Promise<number> {
  const { id, name, writtenRecords } = domain
  if (writtenRecords.length === 0) return 0
  if (await isClaimedByOthers(work, domain)) {
    await work.db
      .update(domains)
      .set({ writtenRecords: withWritten(writtenRecords) })
      .where(and(eq(domains.name, name), ne(domains.id, id), isClaim))
    return 0
  }
  let leftover = 0
  for (const { zoneId, recordId } of writtenRecords) {
    const removed = await callCloudflare(
      work.settings,
      "DELETE",
      `/zones/${zoneId}/dns_records/${recordId}`,
    )
    if (!removed.ok && removed.status !== 404) leftover++
  }
  return leftover
}
