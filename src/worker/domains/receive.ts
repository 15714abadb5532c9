import { and, eq } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { conflict } from "../platform/http/errors.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { NOT_RECEIVING, type Receiving } from "./contract.ts"
import { getDomain } from "./domains.ts"
import { isDomain } from "./own-domain.ts"
import type { RECEIVING_MODES } from "./receiving-modes.ts"
import { domains } from "./table.ts"

/** Only the owner of a name may take its mail. */
export async function updateDomain(
  ctx: Ctx,
  id: string,
  { receiving: mode }: { receiving: (typeof RECEIVING_MODES)[number] },
) {
  const domain = await getDomain(ctx, id)
  if (mode === domain.receiving.mode) return domain
  const receiving: Receiving =
    mode === "off" ? NOT_RECEIVING : { ...NOT_RECEIVING, mode, status: "active" }
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(domains)
      .set({ receiving })
      .where(and(isDomain(ctx, id), mode === "off" ? undefined : eq(domains.status, "verified")))
      .returning(),
    audit: await auditEntry(ctx, "domains.update", { id }),
  })
  if (!updated[0]) throw conflict("The domain is not verified.")
  return updated[0]
}
