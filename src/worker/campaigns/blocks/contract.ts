import * as z from "zod"
import { lines, oneLine, title } from "../../platform/http/shapes.ts"
import { COLUMN_SHARES } from "./column-shares.ts"
import { CAMPAIGN_LINKS, type Links } from "./links.ts"
import { parseRichText } from "./rich-text.ts"
import { color, imageSourceOf, linkOf } from "./theme.ts"

export { CONTENT_WIDTHS, FONTS, type Theme, theme } from "./theme.ts"

const MAX_BLOCKS = 100
const MAX_BLOCKS_CHARACTERS = 256 * 1024

export const MAX_SPACE = 96
export const SPACER_SIZES = { min: 4, max: MAX_SPACE }
export const ALIGNMENTS = ["left", "center", "right"] as const
export const WIDTHS = [25, 50, 75, 100] as const
export const HEADING_LEVELS = [1, 2, 3] as const
const space = z.int().min(0).max(MAX_SPACE).optional()
const spaced = { spaceTop: space, spaceBottom: space }
const align = z.enum(ALIGNMENTS).optional()
const width = z.literal(WIDTHS).optional().describe("In percent.")

const heading = z.object({
  kind: z.literal("heading"),
  level: z.literal(HEADING_LEVELS),
  text: title(500),
  align,
  color: color.optional(),
  ...spaced,
})

const divider = z.object({
  kind: z.literal("divider"),
  align,
  color: color.optional(),
  width,
  ...spaced,
})

const spacer = z.object({
  kind: z.literal("spacer"),
  size: z.int().min(SPACER_SIZES.min).max(SPACER_SIZES.max),
})

const textWith = ({ isLink }: Links) =>
  z.object({
    kind: z.literal("text"),
    html: lines(20_000)
      .min(1)
      .check(({ value, issues }) => {
        const parsed = parseRichText(value)
        const refuse = (message: string) => issues.push({ code: "custom", message, input: value })
        if (!parsed.ok) refuse(parsed.message)
        else if (parsed.tokens.some((token) => token.kind === "link" && !isLink(token.href))) {
          refuse("A link must be an absolute http, https or mailto URL")
        }
      })
      .describe(
        '`<strong>`, `<em>`, `<br>`, `<a href="…">`, and lists of these in `<ul>` or `<ol>` with `<li>` only.',
      ),
    align,
    color: color.optional(),
    ...spaced,
  })

const buttonWith = (links: Links) =>
  z.object({
    kind: z.literal("button"),
    label: title(200),
    url: linkOf(links),
    align,
    color: color.optional(),
    width,
    ...spaced,
  })

const imageWith = (links: Links) =>
  z.object({
    kind: z.literal("image"),
    url: imageSourceOf(links),
    alt: oneLine(500),
    href: linkOf(links).optional(),
    align,
    width,
    ...spaced,
  })

const html = z.object({
  kind: z.literal("html"),
  html: lines(MAX_BLOCKS_CHARACTERS)
    .refine((html) => html.trim() !== "", "Must not be empty")
    .describe(
      "HTML as it is, without scripts, forms and what else mail does not show. Only from the editor and `/resend`.",
    ),
  text: lines(MAX_BLOCKS_CHARACTERS)
    .optional()
    .describe("Stands in the plain-text part. Without it, the text is made from the HTML."),
  ...spaced,
})

/** The blocks of a message with such links. The schema of a block gets the name `id`. */
function listWith(links: Links, id: string) {
  const text = textWith(links)
  const button = buttonWith(links)
  const image = imageWith(links)
  const plain = [heading, text, button, image, divider, spacer, html] as const
  const cell = z.discriminatedUnion("kind", plain).meta({ id: `Cell${id}` })
  const columns = z
    .object({
      kind: z.literal("columns"),
      layout: z.enum(Object.keys(COLUMN_SHARES) as (keyof typeof COLUMN_SHARES)[]),
      columns: z.array(z.array(cell).max(MAX_BLOCKS)).min(2).max(3),
      ...spaced,
    })
    .refine((block) => block.columns.length === COLUMN_SHARES[block.layout].length, {
      path: ["columns"],
      error: "The layout has another number of columns",
    })
  const block = z.discriminatedUnion("kind", [...plain, columns]).meta({ id })
  return z
    .array(block)
    .min(1)
    .max(MAX_BLOCKS)
    .refine(
      (list) => JSON.stringify(list).length <= MAX_BLOCKS_CHARACTERS,
      "At most 256 KiB in all",
    )
}

export const campaignBlocks = listWith(CAMPAIGN_LINKS, "Block")

export type Block = z.output<typeof campaignBlocks>[number]
export type CellBlock = Exclude<Block, { kind: "columns" }>

/** The index of the first block that is HTML, or has it in a column; -1 without one. */
export const indexOfHtml = (list: readonly Block[]): number =>
  list.findIndex(
    (block) =>
      block.kind === "html" ||
      (block.kind === "columns" && block.columns.some((cells) => indexOfHtml(cells) !== -1)),
  )

const withoutHtml = (list: typeof campaignBlocks) =>
  list.check(({ value, issues }) => {
    const index = indexOfHtml(value)
    if (index === -1) return
    const message = "HTML may stand in a campaign only"
    issues.push({ code: "custom", message, path: [index, "kind"], input: value })
  })

/** The blocks of what is no campaign. */
export const blocksWith = (links: Links, id: string) => withoutHtml(listWith(links, id))
export const blocks = withoutHtml(campaignBlocks)
