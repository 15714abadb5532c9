import type { ApiError } from "../../../../worker/platform/http/errors.ts"
import type { TemplateContent } from "../../../../worker/templates/contract.ts"
import { parseTemplate, type Rendered, render } from "../../../../worker/templates/render.ts"

/** Sample values as they are typed, by the variable's whole name. */
export type Samples = Record<string, string>

/** Nested objects by dotted names, with the types that the template declares. */
export function variablesOf(samples: Samples, content: TemplateContent): Record<string, unknown> {
  const types = new Map(content.variablesSchema.variables.map(({ name, type }) => [name, type]))
  const values: Record<string, unknown> = {}
  for (const [name, sample] of Object.entries(samples)) {
    if (sample === "") continue
    const parts = name.split(".")
    const last = parts.pop() as string
    let inner = values
    for (const part of parts) {
      const next = Object.hasOwn(inner, part) ? inner[part] : {}
      inner[part] = typeof next === "object" ? next : {}
      inner = inner[part] as Record<string, unknown>
    }
    inner[last] = typed(sample, types.get(name))
  }
  return values
}

function typed(sample: string, type: string | undefined): unknown {
  if (type === "number" && sample.trim() !== "" && Number.isFinite(Number(sample))) {
    return Number(sample)
  }
  if (type === "boolean" && /^(true|false)$/.test(sample)) return sample === "true"
  return sample
}

export interface Outcome {
  /** With `[name]` where a value is missing. */
  shown: Rendered | null
  missing: readonly string[]
  invalid: readonly string[]
  /** Another refusal, such as an empty subject. */
  error: string | null
}

/** Renders as the API does, by the same code. */
export function tryRender(content: TemplateContent, samples: Samples): Outcome {
  const template = parseTemplate(content)
  const strict = render(template, variablesOf(samples, content))
  if (strict.ok) return { shown: strict.message, missing: [], invalid: [], error: null }
  const { missing = [], invalid = [] } = namesOf(strict.error)
  const stand = Object.fromEntries([...missing, ...invalid].map((name) => [name, `[${name}]`]))
  const untyped = { ...content, variablesSchema: { variables: [] } }
  const defaults = Object.fromEntries(
    content.variablesSchema.variables.map(({ name, default: value }) => [name, `${value ?? ""}`]),
  )
  const lenient = render(template.declared.size > 0 ? parseTemplate(untyped) : template, {
    ...variablesOf({ ...defaults, ...withoutEmpty(samples), ...stand }, untyped),
  })
  return {
    shown: lenient.ok ? lenient.message : null,
    missing,
    invalid,
    error: missing.length + invalid.length === 0 ? reasonOf(strict.error) : null,
  }
}

const withoutEmpty = (samples: Samples) =>
  Object.fromEntries(Object.entries(samples).filter(([, value]) => value !== ""))

const namesOf = ({ details }: ApiError) =>
  (Array.isArray(details) ? {} : (details ?? {})) as { missing?: string[]; invalid?: string[] }

const reasonOf = ({ message, details }: ApiError) =>
  Array.isArray(details) ? String(details[0]?.message ?? message) : message
