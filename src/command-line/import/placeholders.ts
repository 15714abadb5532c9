import { VARIABLE_NAME } from "../../lib/placeholder-shapes.ts"

const EXPRESSION = /\{\{([\s\S]*?)\}\}|\{%[\s\S]*?%\}/g
const NAME = new RegExp(`^${VARIABLE_NAME}$`)

export interface OurPlaceholder {
  name: string
  default?: string
}

/** The texts with our placeholders, and the variables that have a default. Fails for what we cannot say. */
export function convertPlaceholders(
  texts: readonly string[],
  convert: (expression: string) => OurPlaceholder | undefined,
) {
  const defaults = new Map<string, string>()
  const converted = texts.map((text) =>
    text.replace(EXPRESSION, (whole, inner?: string) => {
      const ours = inner === undefined ? undefined : convert(inner.trim())
      if (!ours || !NAME.test(ours.name)) throw new Error(`${whole} has no counterpart.`)
      if (ours.default !== undefined) defaults.set(ours.name, ours.default)
      return `{{ ${ours.name} }}`
    }),
  )
  return {
    texts: converted,
    variables: [...defaults].map(([name, value]) => ({ name, default: value })),
  }
}
