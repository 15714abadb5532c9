import { type Block, type CellBlock, COLUMN_SHARES, type Theme } from "./blocks.ts"
import { inEscapedHtml, inHtml, inUrl, UNSUBSCRIBE_URL } from "./merge.ts"
import { PREHEADER_CHARACTERS } from "./preheader.ts"
import { type RichToken, richTokens } from "./rich-text.ts"

const FONTS = {
  sans: "Helvetica, Arial, sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
  mono: "'Courier New', Courier, monospace",
}

type FullTheme = { [Name in keyof Theme]-?: NonNullable<Theme[Name]> }

const DEFAULT_THEME: FullTheme = {
  font: "sans",
  contentWidth: 600,
  pageBackground: "#f4f4f5",
  cardBackground: "#ffffff",
  textColor: "#18181b",
  linkColor: "#2563eb",
}

const SIDE_PADDING = 24
const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"'

/** What a block is drawn with: the theme, and the pixels that it may take. */
interface Frame {
  theme: FullTheme
  width: number
}

interface Document {
  subject: string
  preheader: string
  blocks: readonly Block[]
  theme: Theme | null
}

/**
 * The whole document, with its merge fields kept. Layout is tables and inline styles: Outlook reads
 * its own fixed widths from comments, every other program a fluid one that narrow screens shrink.
 */
export function renderHtml({ subject, preheader, blocks, theme: chosen }: Document): string {
  const theme = { ...DEFAULT_THEME, ...chosen } as FullTheme
  const frame = { theme, width: theme.contentWidth - 2 * SIDE_PADDING }
  const rows = blocks.map((block) => renderBlock(block, frame)).join("\n")
  return `<!DOCTYPE html>
<html lang="en" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<title>${inHtml(subject)}</title>
</head>
<body style="margin:0;padding:0;background-color:${theme.pageBackground};-webkit-text-size-adjust:100%;">
${renderPreheader(preheader)}
${TABLE} width="100%" bgcolor="${theme.pageBackground}"><tr><td align="center" style="padding:24px 12px;">
${mso(`${TABLE} width="${theme.contentWidth}" align="center"><tr><td>`)}
${TABLE} width="100%" bgcolor="${theme.cardBackground}" style="max-width:${theme.contentWidth}px;background-color:${theme.cardBackground};"><tr><td style="padding:24px ${SIDE_PADDING}px;">
${rows}
</td></tr></table>
${TABLE} width="100%" style="max-width:${theme.contentWidth}px;"><tr><td align="center" style="padding:16px ${SIDE_PADDING}px;${textStyle(theme, 12)}"><a href="${UNSUBSCRIBE_URL.html}" style="color:${theme.textColor};text-decoration:underline;">Unsubscribe</a></td></tr></table>
${mso("</td></tr></table>")}
</td></tr></table>
</body>
</html>
`
}

/** What an inbox would show next, the first words of the body, is kept out of its sight. */
function renderPreheader(preheader: string): string {
  if (preheader === "") return ""
  const filler = "&#847;&zwnj;&nbsp;".repeat(Math.max(0, PREHEADER_CHARACTERS - preheader.length))
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${inHtml(preheader)}${filler}</div>`
}

const mso = (html: string) => `<!--[if mso]>${html}<![endif]-->`

function renderBlock(block: Block, frame: Frame): string {
  if (block.kind === "spacer") {
    return `<div style="height:${block.size}px;line-height:${block.size}px;font-size:1px;">&nbsp;</div>`
  }
  const { spaceTop = 0, spaceBottom = 16 } = block
  const align = ("align" in block && block.align) || "left"
  const inner = block.kind === "columns" ? renderColumns(block, frame) : renderCell(block, frame)
  return `${TABLE} width="100%"><tr><td align="${align}" style="padding:${spaceTop}px 0 ${spaceBottom}px;text-align:${align};">${inner}</td></tr></table>`
}

type Drawn = Exclude<CellBlock, { kind: "spacer" }>

function renderCell(block: Drawn, frame: Frame): string {
  switch (block.kind) {
    case "heading":
      return renderHeading(block, frame)
    case "text":
      return `<div style="${textStyle(frame.theme, 16, block.color)}">${renderRichText(block.html, frame.theme)}</div>`
    case "button":
      return renderButton(block, frame)
    case "image":
      return renderImage(block, frame)
    case "divider": {
      const { align = "center", color = "#d4d4d8", width = 100 } = block
      return `${TABLE} width="${width}%" align="${align}"><tr><td height="1" style="border-top:1px solid ${color};font-size:1px;line-height:1px;">&nbsp;</td></tr></table>`
    }
  }
}

const HEADING_SIZES = { 1: 28, 2: 22, 3: 18 }

function renderHeading({ level, text, color }: Drawn & { kind: "heading" }, { theme }: Frame) {
  const style = `margin:0;font-weight:bold;${textStyle(theme, HEADING_SIZES[level], color)}`
  return `<h${level} style="${style}">${inHtml(text)}</h${level}>`
}

const textStyle = (theme: FullTheme, size: number, color = theme.textColor) =>
  `color:${color};font-family:${FONTS[theme.font]};font-size:${size}px;line-height:${Math.round(size * 1.5)}px;`

const renderRichText = (html: string, theme: FullTheme): string =>
  richTokens(html)
    .map((token) => renderToken(token, theme))
    .join("")

function renderToken(token: RichToken, theme: FullTheme): string {
  switch (token.kind) {
    case "text":
      return inEscapedHtml(token.html)
    case "br":
      return "<br>"
    case "link":
      return `<a href="${inUrl(token.href)}" style="color:${theme.linkColor};text-decoration:underline;">`
    case "open":
      return `<${token.tag}>`
    case "close":
      return `</${token.tag}>`
  }
}

function renderButton(block: Drawn & { kind: "button" }, { theme }: Frame): string {
  const { align = "left", color = theme.linkColor, width } = block
  const stretched = width ? ` width="${width}%"` : ""
  const style = `display:block;padding:12px 24px;text-align:center;text-decoration:none;font-weight:bold;${textStyle(theme, 16, readableOn(color))}`
  return `${TABLE}${stretched} align="${align}"><tr><td align="center" bgcolor="${color}" style="border-radius:6px;background-color:${color};"><a href="${inUrl(block.url)}" target="_blank" style="${style}">${inHtml(block.label)}</a></td></tr></table>`
}

/** Black or white, whichever stands out more, by the luminance of the background. */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(color.slice(at, at + 2), 16),
  )
  return 0.299 * red + 0.587 * green + 0.114 * blue > 150 ? "#000000" : "#ffffff"
}

function renderImage(block: Drawn & { kind: "image" }, { theme, width: available }: Frame): string {
  const width = Math.round((available * (block.width ?? 100)) / 100)
  const style = `display:inline-block;width:100%;max-width:${width}px;height:auto;border:0;${textStyle(theme, 14)}`
  const image = `<img src="${inUrl(block.url)}" alt="${inHtml(block.alt)}" width="${width}" style="${style}">`
  return block.href ? `<a href="${inUrl(block.href)}" target="_blank">${image}</a>` : image
}

/** Columns stand side by side where there is room, and below each other where there is not. */
function renderColumns(block: Block & { kind: "columns" }, { theme, width }: Frame): string {
  const cells = block.columns.map((blocks, index) => {
    const columnWidth = Math.floor(width * (COLUMN_SHARES[block.layout][index] ?? 1))
    const frame = { theme, width: columnWidth - 16 }
    const rows = blocks.map((one) => renderBlock(one, frame)).join("")
    return `${mso(`<td width="${columnWidth}" valign="top">`)}<div style="display:inline-block;width:100%;max-width:${columnWidth}px;vertical-align:top;"><div style="padding:0 8px;">${rows}</div></div>${mso("</td>")}`
  })
  return `<div style="font-size:0;text-align:left;">${mso(`${TABLE} width="100%"><tr>`)}${cells.join("")}${mso("</tr></table>")}</div>`
}
