import * as z from "zod"
import { VARIABLE_NAME } from "../../lib/placeholder-shapes.ts"
import { blocksWith, theme } from "../campaigns/blocks/contract.ts"
import { isLink } from "../campaigns/blocks/links.ts"
import { title } from "../platform/http/shapes.ts"

const VARIABLE = new RegExp(`\\{\\{\\s*${VARIABLE_NAME}\\s*\\}\\}`, "g")
const IS_VARIABLE = new RegExp(`^${VARIABLE.source}$`)

/** A variable may be the whole link, as in a mail with a link of its own for each reader. */
const isTemplateLink = (url: string) =>
  IS_VARIABLE.test(url) || isLink(url.replace(VARIABLE, "{{ email }}"))

export const designBlocks = blocksWith(
  {
    isLink: isTemplateLink,
    about: "`http(s)` or `mailto`; variables may stand behind the host. Or one variable alone.",
  },
  "TemplateBlock",
)

export const design = z
  .object({
    blocks: designBlocks,
    theme: theme.nullable().default(null),
    preheader: title(200)
      .nullable()
      .default(null)
      .describe("What inboxes show after the subject. Null takes the start of the text."),
  })
  .meta({
    id: "TemplateDesign",
    description: "The blocks that a template is made of. Its bodies are rendered from them.",
    example: {
      blocks: [{ kind: "text", html: "Hello {{ name }}" }],
      theme: null,
      preheader: null,
    },
  })
export type Design = z.output<typeof design>
