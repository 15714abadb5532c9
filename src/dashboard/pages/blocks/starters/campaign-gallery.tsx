import { drawHtml } from "../draw-html.ts"
import StarterGallery from "./gallery.tsx"
import type { Starter } from "./starter.ts"
import { STARTERS } from "./starters.ts"

interface Props {
  blank: Starter
  value: string
  onChange(starter: Starter): void
}

export default function CampaignGallery({ blank, ...choice }: Props) {
  return <StarterGallery starters={[blank, ...STARTERS]} htmlOf={htmlOf} {...choice} />
}

const SENDER = { name: "Your company", postalAddress: null }

const htmlOf = ({ blocks, theme }: Starter) =>
  drawHtml({ blocks, theme: theme ?? null, sender: SENDER })
