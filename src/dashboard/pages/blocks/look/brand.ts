import { escapeHtml } from "../../../../lib/html.ts"
import type { Block, Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"

/** The theme of the brand, as wide as the message is. */
export function brandTheme(
  { logoUrl: _, footerText: __, ...theme }: Brand,
  { contentWidth }: Pick<Theme, "contentWidth">,
): Theme | null {
  const branded = { ...theme, ...(contentWidth && { contentWidth }) }
  return Object.keys(branded).length > 0 ? branded : null
}

const logoOf = (url: string, teamName: string): Block => ({
  kind: "image",
  url,
  alt: teamName,
  align: "center",
  width: 25,
})

const footerOf = (text: string): Block => ({
  kind: "text",
  html: escapeHtml(text).replaceAll("\n", "<br>"),
  align: "center",
})

/** The logo above and the footer below a message, unless it has them already. */
export function brandBlocks(
  { logoUrl, footerText }: Brand,
  teamName: string,
  blocks: readonly Block[],
): { above: Block[]; below: Block[] } {
  const written = JSON.stringify(blocks)
  const isMissing = (value: string) => !written.includes(JSON.stringify(value))
  const footer = footerText === undefined ? undefined : footerOf(footerText)
  return {
    above: logoUrl !== undefined && isMissing(logoUrl) ? [logoOf(logoUrl, teamName)] : [],
    below: footer?.kind === "text" && isMissing(footer.html) ? [footer] : [],
  }
}
