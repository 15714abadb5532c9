import type { Sender } from "../../teams/contract.ts"
import { cleanHtml } from "./author-html.ts"
import type { Block, Theme } from "./contract.ts"
import { languageOf } from "./language.ts"
import {
  CARD_MARGIN,
  DARK_STYLES,
  darkAs,
  type Look,
  PAGE_MARGIN,
  readableOn,
  textStyle,
  toLook,
} from "./look.ts"
import { FIXED_TABLE, mso, TABLE } from "./markup.ts"
import { inHtml, literalHtml, UNSUBSCRIBE_URL } from "./merge.ts"
import { PREHEADER_CHARACTERS } from "./preheader.ts"
import { type Frame, renderBlock, renderSpacer } from "./render-block.ts"
import { COLUMN_STYLES, renderColumns } from "./render-columns.ts"

interface Document {
  subject: string
  preheader: string
  blocks: readonly Block[]
  theme: Theme | null
  /** Whom the footer of a campaign names, with its link to unsubscribe. Without it, no footer. */
  sender: Sender | null
}

/**
 * The whole document, with its merge fields. The layout is made of tables and inline styles.
 * Outlook reads fixed widths from conditional comments; other programs shrink the width on narrow
 * screens.
 */
export function renderHtml({ subject, preheader, blocks, theme, sender }: Document): string {
  const { lang, dir } = languageOf(subject, blocks, theme)
  const authored = blocks
    .flatMap((block) => (block.kind === "columns" ? block.columns.flat() : block))
    .filter((block) => block.kind === "html")
    .map(({ html }) => cleanHtml(html))
  const chosen = toLook(theme, dir)
  // Its author has chosen its colors for light screens.
  const look = authored.length > 0 ? { ...chosen, hasDarkColors: false } : chosen
  const [whole] = blocks.length === 1 && blocks[0]?.kind === "html" ? authored : []
  const language = lang ? ` lang="${lang}"` : ""
  // Some programs take \`html\` and \`body\` away, so the table has the direction as well.
  const direction = dir === "rtl" ? ' dir="rtl"' : ""
  return `<!DOCTYPE html>
<html${language}${direction} xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
${renderHead(subject, look, authored.map(({ css }) => css).filter(Boolean))}
</head>
<body${direction}${darkAs("page", look)} style="margin:0;padding:0;background-color:${look.pageBackground};-webkit-text-size-adjust:100%">
${renderPreheader(preheader)}${FIXED_TABLE}${language}${direction}${darkAs("page", look)} width="100%" bgcolor="${look.pageBackground}"><tr><td style="padding:${whole ? 0 : `24px ${PAGE_MARGIN}px`}">
${whole ? `${whole.html}\n${renderFooter(sender, look)}` : renderColumn(blocks, look, sender)}
</td></tr></table>
</body>
</html>
`
}

const renderColumn = (blocks: readonly Block[], look: Look, sender: Sender | null) =>
  `${mso(`${TABLE} width="${look.contentWidth}" align="center"><tr><td>`)}
<div style="max-width:${look.contentWidth}px;margin:0 auto;text-align:${look.start};${textStyle(look, 16)};overflow-wrap:break-word;word-break:break-word">
${renderCard(blocks, look)}
${renderFooter(sender, look)}
</div>
${mso("</td></tr></table>")}`

function renderHead(subject: string, look: Look, authored: readonly string[]): string {
  const schemes = look.hasDarkColors ? "light dark" : "light only"
  const styles = [COLUMN_STYLES, ...(look.hasDarkColors ? [DARK_STYLES] : []), ...authored]
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="color-scheme" content="${schemes}">
<meta name="supported-color-schemes" content="${schemes}">
${mso("<xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>table{mso-table-lspace:0pt;mso-table-rspace:0pt}</style>")}
<title>${inHtml(subject)}</title>
${styles.map((css) => `<style>${css}</style>`).join("\n")}`
}

/** The filler keeps inboxes from showing the first words of the body after the preheader. */
function renderPreheader(preheader: string): string {
  if (preheader === "") return ""
  const filler = "&#847;&zwnj;&nbsp;".repeat(Math.max(0, PREHEADER_CHARACTERS - preheader.length))
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${inHtml(preheader)}${filler}</div>\n`
}

function renderCard(blocks: readonly Block[], look: Look): string {
  const frame: Frame = { look, width: look.contentWidth - 2 * CARD_MARGIN, margin: CARD_MARGIN }
  const rows = blocks.map((block) =>
    block.kind === "columns" ? renderColumns(block, frame) : renderBlock(block, frame),
  )
  return `${FIXED_TABLE}${darkAs("card", look)} width="100%" bgcolor="${look.cardBackground}">
${[renderSpacer(24), ...rows, renderSpacer(8)].join("\n")}
</table>`
}

function renderFooter(sender: Sender | null, look: Look): string {
  if (!sender) return ""
  const { name, postalAddress } = sender
  const style = textStyle(look, 12, readableOn(look.pageBackground))
  const lines = [name, ...(postalAddress?.split("\n") ?? [])].map(literalHtml)
  return `${TABLE} width="100%"><tr><td align="center"${darkAs("text", look)} style="padding:16px ${CARD_MARGIN}px;${style}">${lines.join("<br>")}<br>
<a href="${UNSUBSCRIBE_URL.html}"${darkAs("text", look)} style="${style};text-decoration:underline">Unsubscribe</a></td></tr></table>`
}
