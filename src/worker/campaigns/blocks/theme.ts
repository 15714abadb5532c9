import * as z from "zod"
import { boundedText } from "../../platform/http/shapes.ts"
import { CAMPAIGN_LINKS, type Links } from "./links.ts"

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
