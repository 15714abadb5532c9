import { type CSSProperties, type ReactNode, useMemo } from "react"
import type { Block } from "../../../../worker/campaigns/blocks/contract.ts"
import {
  CARD_MARGIN,
  DARK,
  PAGE_MARGIN,
  readableOn,
  textStyle,
} from "../../../../worker/campaigns/blocks/look.ts"
import type { Sender } from "../../../../worker/teams/contract.ts"
import { toDrafts } from "../draft/draft.ts"
import { styleOf, useDrawing } from "../drawn.ts"
import { CanvasList } from "./canvas-list.tsx"

interface Props {
  before: readonly Block[]
  after: readonly Block[]
  sender: Sender | undefined
  phone: boolean
  children: ReactNode
}

/** What mail clients do to a message without a dark form of its own. */
const INVERTED = "invert(1) hue-rotate(180deg)"

/** The page and the card of the message, as the renderer draws them. */
export function Paper({ before, after, sender, phone, children }: Props) {
  const { look, dark } = useDrawing()
  const hasDark = dark && look.hasDarkColors
  const page: CSSProperties = {
    padding: `24px ${PAGE_MARGIN}px`,
    backgroundColor: hasDark ? DARK.page : look.pageBackground,
    maxWidth: phone ? 390 : undefined,
    filter: dark && !look.hasDarkColors ? INVERTED : undefined,
    colorScheme: "light",
  }
  const column: CSSProperties = {
    ...styleOf(textStyle(look, 16)),
    maxWidth: look.contentWidth,
    margin: "0 auto",
    overflowWrap: "break-word",
    wordBreak: "break-word",
  }
  const card: CSSProperties = {
    padding: "24px 0 8px",
    backgroundColor: hasDark ? DARK.card : look.cardBackground,
    color: hasDark ? DARK.text : look.textColor,
  }
  return (
    <div
      className="mail-page mx-auto"
      data-page
      dir={look.start === "right" ? "rtl" : "ltr"}
      style={page}
    >
      <div style={column}>
        <div style={card} data-card>
          <Around blocks={before} label="Layout above" />
          {children}
          <Around blocks={after} label="Layout below" />
        </div>
        {sender && <Footer sender={sender} />}
      </div>
    </div>
  )
}

/** The blocks of a layout. They are edited in the layout. */
function Around({ blocks, label }: { blocks: readonly Block[]; label: string }) {
  const drafts = useMemo(() => toDrafts(blocks), [blocks])
  if (blocks.length === 0) return null
  return (
    <div inert>
      <CanvasList
        list={label}
        blocks={drafts}
        label={label}
        margin={CARD_MARGIN}
        selected={null}
        problems={new Map()}
      />
    </div>
  )
}

function Footer({ sender }: { sender: Sender }) {
  const { look, dark } = useDrawing()
  const style = {
    padding: `16px ${CARD_MARGIN}px`,
    ...styleOf(textStyle(look, 12, readableOn(look.pageBackground))),
    ...(dark && look.hasDarkColors && { color: DARK.text }),
  }
  const lines = [sender.name, sender.postalAddress].filter(Boolean)
  return (
    <div className="text-center" style={style}>
      <div className="whitespace-pre-line">{lines.join("\n")}</div>
      <span className="underline">Unsubscribe</span>
    </div>
  )
}
