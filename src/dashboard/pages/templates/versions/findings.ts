import { VARIABLE_NAME } from "../../../../lib/placeholder-shapes.ts"
import type { TemplateContent } from "../../../../worker/templates/contract.ts"
import type { Outcome } from "../editor/try-render.ts"

export interface Finding {
  from: number
  to: number
  level: "error" | "warning"
  message: string
}

const PLACEHOLDER = new RegExp(`\\{\\{\\s*(${VARIABLE_NAME})\\s*\\}\\}`, "g")
/** Style sheets have `}}` of their own. */
const BRACES = /\{\{([^{}]*)\}\}|\{\{/g

/** The variables that a template uses, in the order of their first use. */
export function usedVariables({ subject, bodyHtml, bodyText }: TemplateContent): string[] {
  const texts = [subject, bodyHtml, bodyText ?? ""]
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, a]) => a)))]
    .filter((name) => name !== undefined)
    .slice(0, 200)
}

/** The problems of a text, with their places. */
export function findIn(text: string, { missing, invalid }: Outcome): Finding[] {
  const findings: Finding[] = []
  for (const match of text.matchAll(BRACES)) {
    const [whole, inner] = match
    const place = { from: match.index, to: match.index + whole.length }
    const name = inner?.trim()
    if (name === undefined) {
      findings.push({ ...place, level: "error", message: "Close this variable with }}." })
    } else if (!new RegExp(`^${VARIABLE_NAME}$`).test(name)) {
      const message = "This is not a valid variable name. It will be sent as written."
      findings.push({ ...place, level: "warning", message })
    } else if (missing.includes(name)) {
      const message = `“${name}” is required. Emails without it are refused.`
      findings.push({ ...place, level: "warning", message })
    } else if (invalid.includes(name)) {
      const message = `The value of “${name}” has the wrong type.`
      findings.push({ ...place, level: "error", message })
    }
  }
  return findings
}
