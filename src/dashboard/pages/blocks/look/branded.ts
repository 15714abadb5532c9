import type { Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import { type Draft, toBlocks, toDrafts } from "../draft/draft.ts"
import { brandBlocks, brandTheme } from "./brand.ts"

interface Branded {
  theme: Theme | null
  drafts: readonly Draft[]
}

/** A message in the brand of the team. */
export function branded({ theme, drafts }: Branded, brand: Brand, teamName: string): Branded {
  const { above, below } = brandBlocks(brand, teamName, toBlocks(drafts))
  return {
    theme: brandTheme(brand, theme ?? {}),
    drafts: [...toDrafts(above), ...drafts, ...toDrafts(below)],
  }
}
