import { type CSSProperties, createContext, useContext } from "react"
import { DARK, darkText, type Look } from "../../../worker/campaigns/blocks/look.ts"

/** How the canvas draws: with the look that the message is rendered with. */
interface Drawing {
  look: Look
  /** Draws the dark form of a message that has one. */
  dark: boolean
}

export const DrawingContext = createContext<Drawing | null>(null)

export function useDrawing(): Drawing {
  const drawing = useContext(DrawingContext)
  if (!drawing) throw new Error("Outside of the canvas")
  return drawing
}

/** An inline style of the rendered message. The policy refuses it in markup, but not from script. */
export const styleOf = (css: string): CSSProperties =>
  Object.fromEntries(
    css
      .split(";")
      .filter(Boolean)
      .map((rule) => {
        const at = rule.indexOf(":")
        const name = rule.slice(0, at).replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
        return [name, rule.slice(at + 1)]
      }),
  )

/** The color of a block's text: on dark screens its own only if that is readable there. */
export const textColor = ({ look, dark }: Drawing, readable: number, color?: string) =>
  dark && darkText(look, readable, color) ? DARK.text : (color ?? look.textColor)

export const linkColor = ({ look, dark }: Drawing) => (dark ? DARK.link : look.linkColor)
