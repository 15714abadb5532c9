import {
  CodeXml,
  Columns2,
  Heading,
  Image,
  type LucideIcon,
  Minus,
  MousePointerClick,
  MoveVertical,
  Text,
} from "lucide-react"
import { decodeEntities } from "../../../../worker/campaigns/blocks/rich-text.ts"
import type { Draft, Kind } from "../draft/draft.ts"

export const KINDS: Record<Kind, { label: string; icon: LucideIcon }> = {
  heading: { label: "Heading", icon: Heading },
  text: { label: "Text", icon: Text },
  button: { label: "Button", icon: MousePointerClick },
  image: { label: "Image", icon: Image },
  divider: { label: "Divider", icon: Minus },
  spacer: { label: "Spacer", icon: MoveVertical },
  columns: { label: "Columns", icon: Columns2 },
  html: { label: "HTML", icon: CodeXml },
}

const MAX_SUMMARY_CHARACTERS = 120

export function summaryOf(draft: Draft): string {
  switch (draft.kind) {
    case "heading":
      return draft.text
    case "text":
    case "html":
      return decodeEntities(
        draft.html.slice(0, 4 * MAX_SUMMARY_CHARACTERS).replace(/<[^>]*>?/g, " "),
      ).slice(0, MAX_SUMMARY_CHARACTERS)
    case "button":
      return draft.label
    case "image":
      return draft.alt || draft.url
    case "divider":
      return ""
    case "spacer":
      return `${draft.size} px`
    case "columns":
      return draft.layout.replaceAll("-", " : ")
  }
}
