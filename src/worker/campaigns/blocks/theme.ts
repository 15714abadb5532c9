import * as z from "zod"
import { CONTROL_CHARACTERS } from "../../../lib/text.ts"
import { boundedText } from "../../platform/http/shapes.ts"
import { indexOfField, isPreferencesUrl, withoutFields } from "./merge.ts"

/** An absolute URL. A merge field may only follow the host, so all recipients get the same site. */
export function isLink(url: string): boolean {
  if (isPreferencesUrl(url)) return true
  const start = /^(?:https?:\/\/[^\s/?#\\]+(?:[/?#]|$)|mailto:)/i.exec(url)?.[0]
  const field = indexOfField(url)
  return (
    start !== undefined &&
    (field === -1 || field >= start.length) &&
    !/[\s"'<>\\`]/.test(withoutFields(url)) &&
    !CONTROL_CHARACTERS.test(url) &&
    !/^mailto:$/i.test(url) &&
    URL.canParse(withoutFields(url))
  )
}

/** What may be the target of a link, and how the API reference describes it. */
export interface Links {
  isLink(url: string): boolean
  about: string
}

export const CAMPAIGN_LINKS: Links = {
  isLink,
  about:
    "`http(s)` or `mailto`; merge fields may stand behind the host. Or `{{ preferencesUrl }}` alone.",
}

export const linkOf = ({ isLink, about }: Links) =>
  boundedText(2048).refine(isLink, "Must be an absolute http, https or mailto URL").describe(about)

export const imageSourceOf = (links: Links) =>
  linkOf(links).refine((url) => /^https?:/i.test(url), "Must be an http or https URL")

export const imageSource = imageSourceOf(CAMPAIGN_LINKS)

export const color = z.string().regex(/^#[0-9a-f]{6}$/i, "Must be a color like #1a2b3c")

export const DIRECTIONS = ["ltr", "rtl"] as const
export const FONTS = ["sans", "serif", "mono"] as const
export const CONTENT_WIDTHS = [480, 600, 720] as const

export const theme = z
  .object({
    font: z.enum(FONTS).optional(),
    contentWidth: z.literal(CONTENT_WIDTHS).optional(),
    pageBackground: color.optional(),
    cardBackground: color.optional(),
    textColor: color.optional(),
    linkColor: color.optional(),
    lang: z
      .string()
      .max(35)
      .regex(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i, "Must be a language tag like de or pt-BR")
      .optional()
      .describe("The language of the text, a tag of BCP 47. Without one it is guessed."),
    dir: z
      .enum(DIRECTIONS)
      .optional()
      .describe("The direction of the text. Without one, that of the language."),
  })
  .meta({
    id: "Theme",
    description: "Without any of its colors the campaign is dark on screens that ask for it.",
  })

export type Theme = z.output<typeof theme>
