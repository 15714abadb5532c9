import type { Block, Theme } from "../../../../worker/campaigns/blocks/contract.ts"

/** A message to begin with. What the author has to replace is in brackets. */
export interface Starter {
  name: string
  about: string
  subject: string
  preheader?: string
  theme?: Theme
  blocks: readonly Block[]
}
