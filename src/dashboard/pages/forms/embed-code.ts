import { escapeHtml } from "../../../lib/html.ts"
import { HONEYPOT } from "../../../worker/forms/field-names.ts"
import type { FieldValues } from "./values.ts"

export interface Embedded {
  fields: readonly FieldValues[]
  wording: string
}

const attribute = (name: string, value: string) => ` ${name}="${escapeHtml(value)}"`

function control({ name, type, required, options = [] }: FieldValues): string {
  const given = attribute("name", name) + (required ? " required" : "")
  if (type === "select") {
    const choices = options.map((option) => `<option>${escapeHtml(option)}</option>`).join("")
    return `<select${given}><option value=""></option>${choices}</select>`
  }
  return type === "checkbox"
    ? `<input type="checkbox"${given} value="yes">`
    : `<input type="${type}"${given}>`
}

const line = (field: FieldValues) =>
  field.type === "checkbox"
    ? `  <label>${control(field)} ${escapeHtml(field.label)}</label>`
    : `  <label>${escapeHtml(field.label)} ${control(field)}</label>`

/** Plain HTML for any site. Programs that fill in the hidden field give themselves away. */
export const embedCode = ({ fields, wording }: Embedded, url: string) =>
  [
    `<form method="post" accept-charset="utf-8"${attribute("action", url)}>`,
    ...fields.map(line),
    `  <div hidden><input${attribute("name", HONEYPOT)} tabindex="-1" autocomplete="off"></div>`,
    `  <p>${escapeHtml(wording).replaceAll("\n", "<br>")}</p>`,
    "  <button>Subscribe</button>",
    "</form>",
  ].join("\n")
