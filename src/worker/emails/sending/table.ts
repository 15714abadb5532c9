import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { rowsOf } from "../../platform/db/rows.ts"

/** One row a provider: the claim that runs, and whose turn it is. */
export const providerSlots = sqliteTable("provider_slots", {
  provider: text().primaryKey(),
  /** Only older versions of the Worker read these two. */
  nextSlot: real("next_slot").notNull(),
  nextTransactionalSlot: real("next_transactional_slot").notNull(),
  /** The running claim, and the emails that it chose: pairs of team and id. */
  claimedBy: text("claimed_by"),
  chosen: text({ mode: "json" }).$type<[string, string][]>(),
  /** Who was served last: a team, a team with retries of campaign mail, a batch of a campaign. */
  lastTeam: text("last_team").notNull().default(""),
  lastBulkTeam: text("last_bulk_team").notNull().default(""),
  lastBatch: text("last_batch", { mode: "json" }).$type<[string, string, string]>(),
})

/** A row is there while a provider takes no mail. */
export const providerPauses = sqliteTable("provider_pauses", {
  provider: text().primaryKey(),
  since: integer().notNull(),
  reason: text().notNull(),
  /** When the next probe may go out. */
  probeAt: integer("probe_at").notNull(),
  /** The claim that holds the probe. */
  probedBy: text("probed_by"),
})

export const rows = [rowsOf("installation", providerSlots), rowsOf("installation", providerPauses)]
