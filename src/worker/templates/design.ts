import { toTemplate, toWritten } from "../campaigns/blocks/merge.ts"
import { preheaderOf } from "../campaigns/blocks/preheader.ts"
import { renderHtml } from "../campaigns/blocks/render-html.ts"
import { renderText } from "../campaigns/blocks/render-text.ts"
import type { TemplateContent } from "./contract.ts"
import type { Design } from "./design-contract.ts"

/** The bodies of a template of blocks. Its variables are placeholders, as in any other template. */
export function renderDesign(
  subject: string,
  { blocks, theme, preheader }: Design,
): Pick<TemplateContent, "bodyHtml" | "bodyText"> {
  const html = renderHtml({
    subject,
    blocks,
    theme,
    preheader: preheader ?? preheaderOf(blocks),
    sender: null,
  })
  const text = renderText(blocks, null)
  return {
    bodyHtml: toWritten(toTemplate(html)),
    bodyText: toWritten(toTemplate(text)) || null,
  }
}
