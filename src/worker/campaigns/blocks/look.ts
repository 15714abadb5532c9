import type { Theme } from "./contract.ts"
import type { Direction } from "./language.ts"

/** Pixels on both sides of the card, and on both sides of its content. */
export const PAGE_MARGIN = 12
export const CARD_MARGIN = 24

const FONTS = {
  sans: "Helvetica,Arial,sans-serif",
  serif: "Georgia,'Times New Roman',serif",
  mono: "'Courier New',Courier,monospace",
}

type Drawn = Omit<Theme, "lang" | "dir">
type FullTheme = { [Name in keyof Drawn]-?: NonNullable<Drawn[Name]> }

export const DEFAULT_THEME: FullTheme = {
  font: "sans",
  contentWidth: 600,
  pageBackground: "#f4f4f5",
  cardBackground: "#ffffff",
  textColor: "#18181b",
  linkColor: "#2563eb",
}

/** The contrast that WCAG requires of text. */
export const READABLE = 4.5

/** The colors on dark screens. */
export const DARK = {
  page: "#09090b",
  card: "#18181b",
  text: "#f4f4f5",
  link: "#93c5fd",
  rule: "#3f3f46",
}

/** The theme in its drawn form. A theme with default colors has dark ones for dark screens. */
export interface Look extends Omit<FullTheme, "font"> {
  fontFamily: string
  hasDarkColors: boolean
  /** The side where lines begin. */
  start: "left" | "right"
}

export function toLook(chosen: Theme | null, dir: Direction = "ltr"): Look {
  const { pageBackground, cardBackground, textColor, linkColor } = chosen ?? {}
  const hasDarkColors = !(pageBackground || cardBackground || textColor || linkColor)
  const isDark = contrast(cardBackground ?? DEFAULT_THEME.cardBackground, "#ffffff") > READABLE
  const { font, ...theme } = {
    ...DEFAULT_THEME,
    ...(isDark && { textColor: DARK.text, linkColor: DARK.link }),
    ...chosen,
  } as FullTheme
  return {
    ...theme,
    fontFamily: FONTS[font],
    hasDarkColors,
    start: dir === "rtl" ? "right" : "left",
  }
}

const DARK_RULES = {
  page: `background-color:${DARK.page}`,
  card: `background-color:${DARK.card};color:${DARK.text}`,
  text: `color:${DARK.text}`,
  link: `color:${DARK.link}`,
  rule: `border-color:${DARK.rule}`,
}

export const DARK_STYLES = `@media (prefers-color-scheme:dark){${Object.entries(DARK_RULES)
  .map(([name, rules]) => `.${name}{${rules.replaceAll(/(?=;|$)/g, "!important")}}`)
  .join("")}}`

/** The class of an element that changes its color on dark screens. */
export const darkAs = (name: keyof typeof DARK_RULES, { hasDarkColors }: Look) =>
  hasDarkColors ? ` class="${name}"` : ""

/** A block's own color stays on dark screens if its contrast is high enough there. */
export const darkText = (look: Look, readable: number, color?: string) =>
  color && contrast(color, DARK.card) >= readable ? "" : darkAs("text", look)

export const textStyle = (look: Look, size: number, color = look.textColor, lineHeight = 1.5) =>
  `color:${color};font-family:${look.fontFamily};font-size:${size}px;line-height:${Math.round(size * lineHeight)}px`

/** White if the background is dark enough, else black. */
export const readableOn = (background: string) =>
  contrast("#ffffff", background) < 3 ? "#000000" : "#ffffff"

/** The contrast of WCAG: from 1 for equal colors to 21 for black on white. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
