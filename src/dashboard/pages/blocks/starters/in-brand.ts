import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import { brandBlocks, brandTheme } from "../look/brand.ts"
import type { Starter } from "./starter.ts"

/** The starter in the colors of the team, between its logo and its footer. */
export function inBrand<T extends Starter>(starter: T, brand: Brand | null, teamName: string): T {
  if (brand === null) return starter
  const theme = brandTheme(brand, starter.theme ?? {})
  const { above, below } = brandBlocks(brand, teamName, starter.blocks)
  const blocks = [...above, ...starter.blocks, ...below]
  return { ...starter, blocks, ...(theme && { theme }) }
}
