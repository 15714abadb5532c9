import type { Choice } from "./preferences.ts"

/** The names of the form's fields. */
export const FIELDS = { shown: "shown", on: "on", stopAll: "stop" } as const

/** What the page showed, and what the person has made of it. */
export interface Form {
  shown: ReadonlyMap<string, { isOn: boolean; changedAt: number }>
  on: ReadonlySet<string>
  /** The button that ends every subscription. */
  stopsAll: boolean
}

/** The state of a box, as the page shows and sends back. */
export const shownState = ({ id, isOn, changedAt }: Choice) =>
  `${id}.${Number(isOn)}.${changedAt.toString(36)}`

export function readPreferenceForm(fields: URLSearchParams): Form {
  const shown = fields.getAll(FIELDS.shown).map((state) => {
    const [id = "", isOn, changedAt = ""] = state.split(".")
    return [id, { isOn: isOn === "1", changedAt: Number.parseInt(changedAt, 36) }] as const
  })
  return {
    shown: new Map(shown),
    on: new Set(fields.getAll(FIELDS.on)),
    stopsAll: fields.has(FIELDS.stopAll),
  }
}

/**
 * What the person wants of a box; nothing if the box came back as it was shown. A yes counts only if
 * the consent is as it was shown: a no that came later stands.
 */
export function mayBecome(choice: Choice, { shown, on, stopsAll }: Form) {
  if (stopsAll) return choice.kind === "book" ? false : undefined
  const was = shown.get(choice.id)
  const wanted = on.has(choice.id)
  if (!was || was.isOn === wanted) return undefined
  if (!wanted) return false
  if (choice.isFinal && !choice.isOn) return "stale"
  return choice.isOn || was.changedAt === choice.changedAt ? true : "stale"
}
