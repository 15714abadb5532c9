import { VARIABLE_NAME } from "./placeholder-shapes.ts"

/** Resend's `{{{NAME}}}` and `{{{NAME|fallback}}}`. */
const THEIRS = new RegExp(`\\{\\{\\{\\s*(${VARIABLE_NAME})\\s*(?:\\|([^{}]*))?\\}\\}\\}`, "g")
const OURS = new RegExp(`\\{\\{\\s*(${VARIABLE_NAME})\\s*\\}\\}`, "g")

/** The text with our `{{ NAME }}`. */
export const toOurPlaceholders = (text: string): string => text.replace(THEIRS, "{{ $1 }}")

export const toTheirPlaceholders = (text: string): string => text.replace(OURS, "{{{$1}}}")

interface Variable {
  key: string
  type?: unknown
  fallback_value?: unknown
}

/** The declared variables, and others that have a fallback in a text. */
export function toVariables(declared: readonly Variable[], texts: readonly string[]) {
  const known = new Set(declared.map(({ key }) => key))
  const inText = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(THEIRS)].flatMap(([, name = "", fallback]) =>
        fallback === undefined || known.has(name) ? [] : [[name, fallback] as const],
      ),
    ),
  )
  return [
    ...declared.map(({ key, type, fallback_value }) => ({
      name: key,
      ...(type !== undefined && { type }),
      ...(fallback_value !== undefined && fallback_value !== null && { default: fallback_value }),
    })),
    ...[...inText].map(([name, fallback]) => ({ name, default: fallback })),
  ]
}

/** The variables after a change: what is declared or written now, and stored ones that are still in use. */
export function changeVariables<Stored extends { name: string; default?: unknown }>(
  stored: readonly Stored[],
  declared: readonly Variable[] | undefined,
  { written, all }: { written: readonly string[]; all: readonly string[] },
) {
  const now = toVariables(declared ?? [], written)
  const used = new Set(
    all.flatMap((text) => [...toOurPlaceholders(text).matchAll(OURS)].map(([, name]) => name)),
  )
  const kept = stored.filter(
    (one) =>
      (!declared || (one.default !== undefined && used.has(one.name))) &&
      !now.some(({ name }) => name === one.name),
  )
  return [...kept, ...now]
}

const IN_BROADCAST = /\{\{\{\s*(?:contact\.)?([A-Za-z_][A-Za-z0-9_]{0,63})\s*(?:\|([^{}]*))?\}\}\}/g
const MERGE_FIELDS: Record<string, string> = {
  first_name: "firstName",
  last_name: "lastName",
  email: "email",
  resend_unsubscribe_url: "preferencesUrl",
}

/** What Resend fills a placeholder of a template with: a field of the contact, or else a property. */
export function toMergeField(name: string): string {
  const [, ofContact] = /^contact\.(.+)$/.exec(name) ?? []
  const reserved = ofContact ?? (name === name.toUpperCase() ? name : "")
  return MERGE_FIELDS[reserved.toLowerCase()] ?? `properties.${ofContact ?? name}`
}

/** A broadcast's text with our merge fields, the fallbacks that it names, and the properties without one. */
export function toMergeFields(text: string) {
  const defaults: Record<string, string> = {}
  const open: string[] = []
  const ours = text.replace(IN_BROADCAST, (_whole, name: string, fallback?: string) => {
    const own = MERGE_FIELDS[name.toLowerCase()]
    const field = own ?? `properties.${name}`
    if (fallback !== undefined) defaults[field] ??= fallback
    else if (!own) open.push(name)
    return `{{ ${field} }}`
  })
  return { text: ours, defaults, open }
}
