import { useDeferredValue, useMemo } from "react"
import type { Block } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import type { Sender } from "../../../../worker/teams/contract.ts"
import { MailFrame } from "../../../ui/frame.tsx"
import { brandBlocks, brandTheme } from "../../blocks/look/brand.ts"
import { NOBODY, renderMessage } from "../../blocks/render-message.ts"

const CONTENT: Block[] = [
  { kind: "heading", level: 1, text: "A heading" },
  { kind: "text", html: 'Your text, with <a href="https://example.com/">a link</a>.' },
  { kind: "button", label: "A button", url: "https://example.com/" },
]

/** A campaign that begins with the brand. */
export function BrandPreview({ brand, team }: { brand: Brand; team: Sender }) {
  const written = JSON.stringify(brand)
  const shown = useDeferredValue(written)
  const html = useMemo(() => {
    const brand: Brand = JSON.parse(shown)
    const { above, below } = brandBlocks(brand, team.name, CONTENT)
    const message = {
      subject: "",
      preheader: null,
      header: [],
      footer: [],
      mergeDefaults: {},
      blocks: [...above, ...CONTENT, ...below],
      theme: brandTheme(brand, {}),
      sender: team,
    }
    return renderMessage(message, NOBODY).html
  }, [shown, team])
  return <MailFrame title="Brand preview" html={html} />
}
