import type { TemplateContent } from "./contract.ts"
import { parseTemplate } from "./render.ts"

/** Emails that do not give the variable, or give a value of another type, are refused from now on. */
export interface StricterVariable {
  name: string
  because: "required" | "type"
}

/** The variables for which `after` refuses emails that `before` accepts. */
export function stricterVariables(
  before: TemplateContent,
  after: TemplateContent,
): StricterVariable[] {
  const old = demandsOf(before)
  return [...demandsOf(after)].flatMap(([name, { isRequired, type }]) => {
    const was = old.get(name)
    if (isRequired && !was?.isRequired) return { name, because: "required" as const }
    return type && was && was.type !== type ? { name, because: "type" as const } : []
  })
}

/** What the template asks of each variable that it uses. */
function demandsOf(content: TemplateContent) {
  const { declared, subject, html, text } = parseTemplate(content)
  const used = [subject, html, text ?? []].flatMap((parts) => parts.filter((_, at) => at % 2 === 1))
  return new Map(
    used.map((name) => {
      const { default: value, type } = declared.get(name) ?? {}
      return [name, { isRequired: value === undefined, type }]
    }),
  )
}
