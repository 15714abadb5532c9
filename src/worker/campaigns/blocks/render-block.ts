import { cleanHtml } from "./author-html.ts"
import type { CellBlock } from "./contract.ts"
import { darkAs, darkText, type Look, READABLE, readableOn, textStyle } from "./look.ts"
import { TABLE } from "./markup.ts"
import { inEscapedHtml, inHtml, inUrl } from "./merge.ts"
import { type RichToken, richTokens } from "./rich-text.ts"

/** The space for blocks: their width in pixels, and the margin on both sides. */
export interface Frame {
  look: Look
  width: number
  margin: number
}

interface Space {
  spaceTop?: number | undefined
  spaceBottom?: number | undefined
}

export const DEFAULT_SPACE = 16

export const padding = ({ spaceTop = 0, spaceBottom = DEFAULT_SPACE }: Space, margin: number) =>
  `padding:${[spaceTop, margin, spaceBottom].map((length) => (length ? `${length}px` : 0)).join(" ")}`

type Drawn = Exclude<CellBlock, { kind: "spacer" | "html" }>

/** A row of the frame's table. */
export function renderBlock(block: CellBlock, frame: Frame): string {
  if (block.kind === "spacer") return renderSpacer(block.size)
  const { look, margin } = frame
  if (block.kind === "html") {
    return `<tr><td style="${padding(block, margin)}">${cleanHtml(block.html).html}</td></tr>`
  }
  const align = alignOf(block, look)
  const aligned = align === look.start ? "" : ` align="${align}"`
  const isText = block.kind === "text"
  const dark = isText ? darkText(look, READABLE, block.color) : ""
  const font = isText ? `;${textStyle(look, 16, block.color)}` : ""
  return `<tr><td${aligned}${dark} style="${padding(block, margin)}${font}">${renderContent(block, frame)}</td></tr>`
}

export const alignOf = ({ kind, align }: Drawn, { start }: Look) =>
  align ?? (kind === "divider" ? "center" : start)

export const renderSpacer = (size: number) =>
  `<tr><td height="${size}" style="font-size:1px;line-height:${size}px">&nbsp;</td></tr>`

function renderContent(block: Drawn, frame: Frame): string {
  switch (block.kind) {
    case "heading":
      return renderHeading(block, frame)
    case "text":
      return renderRichText(block.html, frame.look)
    case "button":
      return renderButton(block, frame)
    case "image":
      return renderImage(block, frame)
    case "divider":
      return renderDivider(block, frame)
  }
}

type Heading = Drawn & { kind: "heading" }
const HEADING_SIZES = { 1: 28, 2: 22, 3: 18 }

export const headingStyle = ({ level, color }: Pick<Heading, "level" | "color">, look: Look) =>
  `margin:0;font-weight:bold;${textStyle(look, HEADING_SIZES[level], color, 1.25)}`

/** The contrast that WCAG requires of large text. */
export const READABLE_LARGE = 3

function renderHeading({ level, text, color }: Heading, { look }: Frame) {
  const style = headingStyle({ level, color }, look)
  return `<h${level}${darkText(look, READABLE_LARGE, color)} style="${style}">${inHtml(text)}</h${level}>`
}

const renderRichText = (html: string, look: Look): string =>
  richTokens(html)
    .map((token) => renderToken(token, look))
    .join("")

const listStyle = ({ start }: Look) =>
  ` style="margin:8px 0;padding:${start === "left" ? "0 0 0 24px" : "0 24px 0 0"}"`

function renderToken(token: RichToken, look: Look): string {
  switch (token.kind) {
    case "text":
      return inEscapedHtml(token.html)
    case "br":
      return "<br>"
    case "link":
      return `${openLink(token.href, look)};text-decoration:underline">`
    case "open":
      return `<${token.tag}${/^[uo]l$/.test(token.tag) ? listStyle(look) : ""}>`
    case "close":
      return `</${token.tag}>`
  }
}

const openLink = (url: string, look: Look) =>
  `<a href="${inUrl(url)}"${darkAs("link", look)} style="color:${look.linkColor}`

const BUTTON_SPACE = "padding:12px 24px"
export const BUTTON_CORNERS = "border-radius:6px"

export const buttonStyle = (color: string, look: Look) =>
  `display:block;${BUTTON_SPACE};font-weight:bold;text-decoration:none;${textStyle(look, 16, readableOn(color))}`

/** Outlook pads the cell. Other programs pad the link, so that the whole button can be clicked. */
function renderButton(block: Drawn & { kind: "button" }, { look }: Frame): string {
  const { color = look.linkColor, width } = block
  const style = buttonStyle(color, look)
  return `${TABLE}${width ? ` width="${width}%"` : ""}><tr><td align="center" bgcolor="${color}" style="${BUTTON_CORNERS};mso-${BUTTON_SPACE.replace(":", "-alt:")}"><a href="${inUrl(block.url)}" style="${style}">${inHtml(block.label)}</a></td></tr></table>`
}

const BESIDE = {
  left: "margin:0 auto 0 0;",
  center: "margin:0 auto;",
  right: "margin:0 0 0 auto;",
}

/** The margins of a block that is less wide than its frame. */
export function besideOf(block: Drawn, look: Look): string {
  const align = alignOf(block, look)
  return align === look.start ? "" : BESIDE[align]
}

/** The width is a share of the frame, and in pixels for Outlook. */
function renderImage(block: Drawn & { kind: "image" }, { look, width: available }: Frame): string {
  const { url, alt, href, width = 100 } = block
  const style = `display:block;${besideOf(block, look)}width:${width}%;height:auto;border:0`
  const pixels = Math.round((available * width) / 100)
  const image = `<img src="${inUrl(url)}" alt="${inHtml(alt)}" width="${pixels}" style="${style}">`
  return href ? `${openLink(href, look)};text-decoration:none">${image}</a>` : image
}

export const RULE_COLOR = "#d4d4d8"

function renderDivider({ color, width = 100 }: Drawn & { kind: "divider" }, { look }: Frame) {
  const dark = color ? "" : darkAs("rule", look)
  return `${TABLE} width="${width}%"><tr><td${dark} style="border-top:1px solid ${color ?? RULE_COLOR};font-size:0;line-height:0">&nbsp;</td></tr></table>`
}
