import { renderDesign } from "../../../../worker/templates/design.ts"
import StarterGallery from "../../blocks/starters/gallery.tsx"
import { tryRender } from "../try-render.ts"
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
  const design = { blocks: [...blocks], theme: theme ?? null, preheader: null }
  const content = {
    ...renderDesign(name, design),
    // The empty one has no subject, which would be refused.
    ...{ name, subject: name },
    variablesSchema: { variables },
  }
  return tryRender(content, samples).shown?.html ?? ""
}
