import type { CSSProperties } from "react"
import { DARK, READABLE, textStyle } from "../../../../worker/campaigns/blocks/look.ts"
import {
  alignOf,
  BUTTON_CORNERS,
  besideOf,
  buttonStyle,
  headingStyle,
  padding,
  READABLE_LARGE,
  RULE_COLOR,
} from "../../../../worker/campaigns/blocks/render-block.ts"
import type { Cell } from "../draft/draft.ts"
import { linkColor, styleOf, textColor, useDrawing } from "../drawn.ts"
import { useBlockActions, useCanvas } from "./canvas-context.ts"
import { HtmlContent } from "./html-content.tsx"
import { ImageContent } from "./image-content.tsx"
import { TextBox } from "./text-box.tsx"

export interface ContentProps<B extends Cell = Cell> {
  block: B
  margin: number
  problemId?: string | undefined
}
type Of<K extends Cell["kind"]> = ContentProps<Extract<Cell, { kind: K }>>

/** A block as the message shows it. The styles are those of the code that renders the message. */
export function BlockContent(props: ContentProps) {
  const { block, margin } = props
  const { look } = useDrawing()
  if (block.kind === "spacer") return <div style={{ height: block.size }} />
  const align = block.kind === "html" ? undefined : alignOf(block, look)
  const style = { ...styleOf(padding(block, margin)), textAlign: align }
  return (
    <div data-drawn={block.kind} style={style}>
      <Drawn {...props} />
    </div>
  )
}

function Drawn({ block, ...props }: ContentProps) {
  switch (block.kind) {
    case "heading":
      return <Heading block={block} {...props} />
    case "text":
      return <Text block={block} {...props} />
    case "button":
      return <Button block={block} {...props} />
    case "image":
      return <ImageContent block={block} {...props} />
    case "divider":
      return <Divider block={block} {...props} />
    case "html":
      return <HtmlContent html={block.html} />
    case "spacer":
      return null
  }
}

/** Enter goes on below; Backspace in an empty text takes it away; a slash opens the menu. */
function useTextKeys({ key, kind, ...look }: Cell) {
  const actions = useBlockActions()
  const { openSlashMenu } = useCanvas()
  return {
    onEnter: (html: string) =>
      actions.addAfter(key, "text", kind === "text" ? { ...look, html } : {}),
    onBackspace: () => actions.remove(key, "text"),
    onSlash: () => openSlashMenu(key),
  }
}

function Heading({ block, problemId }: Of<"heading">) {
  const drawing = useDrawing()
  const actions = useBlockActions()
  const keys = useTextKeys(block)
  const color = textColor(drawing, READABLE_LARGE, block.color)
  return (
    <div style={{ ...styleOf(headingStyle(block, drawing.look)), color }}>
      <TextBox
        kind="line"
        label="Heading"
        placeholder="Heading"
        value={block.text}
        problemId={problemId}
        onChange={(text) => actions.update(block.key, { text })}
        {...keys}
      />
    </div>
  )
}

function Text({ block, problemId }: Of<"text">) {
  const drawing = useDrawing()
  const actions = useBlockActions()
  const keys = useTextKeys(block)
  const style = {
    ...styleOf(textStyle(drawing.look, 16, block.color)),
    color: textColor(drawing, READABLE, block.color),
    "--mail-link": linkColor(drawing),
  }
  return (
    <div style={style as CSSProperties}>
      <TextBox
        kind="rich"
        label="Text"
        placeholder="Write, or press / to choose a block"
        value={block.html}
        problemId={problemId}
        onChange={(html) => actions.update(block.key, { html })}
        {...keys}
      />
    </div>
  )
}

function Button({ block, problemId }: Of<"button">) {
  const { look } = useDrawing()
  const actions = useBlockActions()
  const keys = useTextKeys(block)
  const color = block.color ?? look.linkColor
  const table: CSSProperties = {
    ...styleOf(BUTTON_CORNERS),
    ...styleOf(besideOf(block, look)),
    display: "table",
    backgroundColor: color,
    textAlign: "center",
    ...(block.width && { width: `${block.width}%` }),
  }
  return (
    <div style={table}>
      <div style={styleOf(buttonStyle(color, look))}>
        <TextBox
          kind="line"
          label="Button label"
          placeholder="Button label"
          value={block.label}
          problemId={problemId}
          onChange={(label) => actions.update(block.key, { label })}
          {...keys}
        />
      </div>
    </div>
  )
}

function Divider({ block }: Of<"divider">) {
  const { look, dark } = useDrawing()
  const standard = dark && look.hasDarkColors ? DARK.rule : RULE_COLOR
  const style = {
    ...styleOf(besideOf(block, look)),
    width: `${block.width ?? 100}%`,
    borderTop: `1px solid ${block.color ?? standard}`,
  }
  return <div style={style} />
}
