import { toTemplate, toWritten } from "../../../../worker/campaigns/blocks/merge.ts"
import { renderHtml } from "../../../../worker/campaigns/blocks/render-html.ts"
import StarterGallery from "../../blocks/starters/gallery.tsx"
import { tryRender } from "../editor/try-render.ts"
import type { TemplateStarter } from "./starter.ts"
import { TEMPLATE_STARTERS } from "./starters.ts"

interface Props {
  blank: TemplateStarter
  value: string
  onChange(starter: TemplateStarter): void
}

export default function TemplateGallery({ blank, ...choice }: Props) {
  return <StarterGallery starters={[blank, ...TEMPLATE_STARTERS]} htmlOf={htmlOf} {...choice} />
}

function htmlOf({ name, blocks, theme, samples, variables }: TemplateStarter): string {
  const html = renderHtml({
    subject: name,
    preheader: "",
    blocks,
    theme: theme ?? null,
    sender: null,
  })
  const content = {
    bodyHtml: toWritten(toTemplate(html)),
    bodyText: null,
    // The empty one has no subject, which would be refused.
    name,
    subject: name,
    variablesSchema: { variables },
  }
  return tryRender(content, samples).shown?.html ?? ""
}
