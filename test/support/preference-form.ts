import { request } from "./api.ts"

/** The form of a preference page, as a browser reads it. */
export interface PreferenceForm {
  shown: string[]
  /** The boxes, checked or not. */
  boxes: Record<string, boolean>
  more?: Record<string, string>
}

const valuesOf = (html: string, pattern: RegExp) => [...html.matchAll(pattern)]

export const formOf = (html: string): PreferenceForm => ({
  shown: valuesOf(html, /type="hidden" name="shown" value="([^"]*)"/g).map(
    ([, value = ""]) => value,
  ),
  boxes: Object.fromEntries(
    valuesOf(html, /type="checkbox" name="on" value="([^"]*)"( checked)?/g).map(
      ([, id, checked]) => [id, checked !== undefined],
    ),
  ),
})

/** Sends the form back with some boxes changed. */
export function send(
  path: string,
  { shown, boxes, more = {} }: PreferenceForm,
  changes: Record<string, boolean> = {},
) {
  const fields = new URLSearchParams(more)
  for (const state of shown) fields.append("shown", state)
  for (const [id, isOn] of Object.entries({ ...boxes, ...changes })) {
    if (isOn) fields.append("on", id)
  }
  return request("POST", path, fields.toString(), {
    accept: "text/html",
    "content-type": "application/x-www-form-urlencoded",
  })
}
