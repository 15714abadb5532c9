import { type Column, eq, type SQL } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { otherDomain } from "../platform/http/errors.ts"

/** A key that is restricted to one domain makes no other one send. */
export async function assertMaySendFrom(ctx: Ctx, domainId: string): Promise<void> {
  const { key } = await ctx.caller()
  if (key?.domainId && key.domainId !== domainId) throw otherDomain()
}

/** The same as a condition of the statement that sends. `domainId` is the column of the domain. */
export async function isDomainOfKey(ctx: Ctx, domainId: Column): Promise<SQL | undefined> {
  const { key } = await ctx.caller()
  return key?.domainId ? eq(domainId, key.domainId) : undefined
}
