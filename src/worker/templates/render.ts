import { escapeHtml } from "../../lib/html.ts"
import { MAX_BODY_CHARACTERS, VARIABLE_NAME } from "../../lib/placeholder-shapes.ts"
import { CONTROL_CHARACTERS } from "../../lib/text.ts"
import { ApiError, invalid } from "../platform/http/errors.ts"
import type { TemplateContent, Variables, VariablesSchema } from "./contract.ts"

export interface Rendered {
  subject: string
  html: string
  text: string | null
}

type Rendering = { ok: true; message: Rendered } | { ok: false; error: ApiError }

/** A template that is parsed once. Each list alternates between literal text and variable names. */
export interface ParsedTemplate {
  declared: Map<string, VariablesSchema["variables"][number]>
  subject: string[]
  html: string[]
  text: string[] | null
}

const PLACEHOLDER = new RegExp(`\\{\\{\\s*(${VARIABLE_NAME})\\s*\\}\\}`)
const MAX_SUBJECT_CHARACTERS = 998

type Scalar = string | number | boolean

export const parseTemplate = (template: TemplateContent): ParsedTemplate => ({
  declared: new Map(template.variablesSchema.variables.map((one) => [one.name, one])),
  subject: template.subject.split(PLACEHOLDER),
  html: template.bodyHtml.split(PLACEHOLDER),
  text: template.bodyText === null ? null : template.bodyText.split(PLACEHOLDER),
})

/** Room for `href = "` with some spaces. */
const BEGIN_CHARACTERS = 40
const SCHEME_CHARACTERS = 40
const LINK_BEGINS = /\bhref\s*=\s*["']?\s*$/i
const LINK_ENDS = /["'<>\s]/
/** Mail clients and browsers read a link without them. */
const IGNORED_IN_LINKS = /[\s\p{Cc}]/gu
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const SCHEMES_OF_LINKS = ["http:", "https:", "mailto:", "tel:"]

/** Placeholders inside values are not replaced. `givenSubject` replaces the template's subject. */
export function render(
  template: ParsedTemplate,
  variables: Variables,
  givenSubject?: string,
): Rendering {
  const values = readValues(template, variables)
  const subject = givenSubject ?? fill(template.subject, values.ofSubject).trim()
  const html = fill(template.html, (name, at) => {
    values.checkLink(template.html, at)
    return escapeHtml(values.of(name))
  })
  const text = template.text && fill(template.text, values.of)
  const error = values.refusal() ?? refuseSizes({ subject, html, text })
  return error ? { ok: false, error } : { ok: true, message: { subject, html, text } }
}

/** Reads values by name and collects those that are missing or of the wrong type. */
function readValues({ declared }: ParsedTemplate, variables: Variables) {
  const missing = new Set<string>()
  const wrong = new Set<string>()

  function of(name: string): string {
    const declaration = declared.get(name)
    const value = ownValue(variables, name) ?? declaration?.default
    if (value === undefined) missing.add(name)
    else if (!isScalar(value) || (declaration?.type && typeof value !== declaration.type)) {
      wrong.add(name)
    } else return String(value)
    return ""
  }

  function ofSubject(name: string): string {
    const value = of(name)
    if (CONTROL_CHARACTERS.test(value)) wrong.add(name)
    return value
  }

  /** The variables that begin a link must not give it a scheme such as `javascript:`. */
  function checkLink(html: readonly string[], at: number): void {
    if (!LINK_BEGINS.test(html[at - 1]?.slice(-BEGIN_CHARACTERS) ?? "")) return
    let link = ""
    for (let index = at; index < html.length && link.length < SCHEME_CHARACTERS; index++) {
      const part = html[index] ?? ""
      if (index % 2 === 0 && LINK_ENDS.test(part)) break
      link += (index % 2 === 0 ? part : of(part)).replace(IGNORED_IN_LINKS, "")
    }
    const scheme = SCHEME.exec(link)?.[0]
    if (scheme && !SCHEMES_OF_LINKS.includes(scheme.toLowerCase())) wrong.add(html[at] ?? "")
  }

  function refusal(): ApiError | null {
    if (missing.size + wrong.size === 0) return null
    const details = { missing: [...missing], invalid: [...wrong] }
    const said = [
      missing.size > 0 ? `Missing variables: ${details.missing.join(", ")}.` : "",
      wrong.size > 0 ? `Invalid variables: ${details.invalid.join(", ")}.` : "",
    ]
    return new ApiError("validation_error", said.filter(Boolean).join(" "), details)
  }

  return { of, ofSubject, checkLink, refusal }
}

/** Own members of plain objects only: not `constructor`, not a string's `length`. */
function ownValue(variables: Variables, name: string): unknown {
  let value: unknown = variables
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, part) ? (value as Variables)[part] : undefined
  }
  return value ?? undefined
}

const isScalar = (value: unknown): value is Scalar =>
  ["string", "number", "boolean"].includes(typeof value)

/** Stops when the result is too long for an email. */
function fill(parts: readonly string[], read: (name: string, at: number) => string): string {
  let filled = ""
  for (const [index, part] of parts.entries()) {
    filled += index % 2 === 0 ? part : read(part, index)
    if (filled.length > MAX_BODY_CHARACTERS) break
  }
  return filled
}

function refuseSizes({ subject, html, text }: Rendered): ApiError | null {
  if (subject.trim() === "") return invalid(["subject"], "The rendered subject is empty")
  if (subject.length > MAX_SUBJECT_CHARACTERS) {
    return invalid(["subject"], `The rendered subject is over ${MAX_SUBJECT_CHARACTERS} characters`)
  }
  const tooLong = [html, text ?? ""].some(({ length }) => length > MAX_BODY_CHARACTERS)
  return tooLong
    ? invalid(["variables"], `A rendered body is over ${MAX_BODY_CHARACTERS} characters`)
    : null
}
