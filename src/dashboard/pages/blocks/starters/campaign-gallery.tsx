import { NOBODY, renderMessage } from "../preview.tsx"
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

const EMPTY = {
  subject: "",
  preheader: null,
  header: [],
  footer: [],
  mergeDefaults: { firstName: "Ada" },
  sender: { name: "Your company", postalAddress: null },
}

const htmlOf = ({ blocks, theme }: Starter) =>
  renderMessage({ ...EMPTY, blocks, theme: theme ?? null }, NOBODY).html
