import { VARIABLE_NAME } from "../../lib/placeholder-shapes.ts"
import { toMergeField } from "../../lib/resend-placeholders.ts"
import {
  inEscapedHtml,
  inText,
  literalHtml,
  literalText,
  MERGE_FIELD,
  toTemplate,
  UNSUBSCRIBE_URL,
} from "../campaigns/blocks/merge.ts"
import { type ComposedBody, lengthOf, MAX_PART_CHARACTERS } from "../campaigns/body.ts"
import { invalid } from "../platform/http/errors.ts"
import type { Sender } from "../teams/contract.ts"
import type { templates } from "../templates/table.ts"

type TemplateRow = typeof templates.$inferSelect

const PLACEHOLDER = new RegExp(`\\{\\{\\s*(${VARIABLE_NAME})\\s*\\}\\}`, "g")
const PREFERENCES = "preferencesUrl"

/** The variables of a template are fields of the contact, also by Resend's names, or else its properties. */
const fieldOf = (name: string) =>
  MERGE_FIELD.test(name) || name === PREFERENCES ? name : toMergeField(name)

/** The text of a template with the merge fields of a campaign. */
export const withMergeFields = (text: string) =>
  text.replace(PLACEHOLDER, (_, name: string) => `{{ ${fieldOf(name)} }}`)

/** The body of a template, with the footer of a campaign. A variable without a default is required. */
export function composeTemplate(
  { bodyHtml, bodyText, variablesSchema }: TemplateRow,
  { preheader, sender }: { preheader: string | null; sender: Sender },
): { body: ComposedBody; required: string[] } {
  const used = new Set(
    [bodyHtml, bodyText ?? ""].flatMap((text) =>
      [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name),
    ),
  )
  const defaults = Object.fromEntries(
    variablesSchema.variables.flatMap(({ name, default: value }) =>
      value === undefined ? [] : [[fieldOf(name), String(value)]],
    ),
  )
  const html = preheader === null ? bodyHtml : withHidden(bodyHtml, literalHtml(preheader))
  const body: ComposedBody = {
    html: toTemplate(withFooter(inEscapedHtml(withMergeFields(html)), footerHtml(sender))),
    text:
      bodyText === null
        ? []
        : toTemplate(`${inText(withMergeFields(bodyText))}\n\n${footerText(sender)}\n`),
    defaults,
  }
  if (Math.max(lengthOf(body.html), lengthOf(body.text)) > MAX_PART_CHARACTERS) {
    throw invalid(["steps"], `The template may have at most ${MAX_PART_CHARACTERS} characters`)
  }
  const required = [...used]
    .map(fieldOf)
    .filter((field) => field !== PREFERENCES && !Object.hasOwn(defaults, field))
  return { body, required }
}

function withHidden(html: string, preheader: string): string {
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${preheader}</div>`
  const [begin = ""] = /^[\s\S]*?<body[^>]*>/i.exec(html) ?? []
  return begin + hidden + html.slice(begin.length)
}

const withFooter = (html: string, footer: string) => {
  const end = html.toLowerCase().lastIndexOf("</body>")
  return end === -1 ? html + footer : html.slice(0, end) + footer + html.slice(end)
}

const footerHtml = ({ name, postalAddress }: Sender) => {
  const lines = [name, ...(postalAddress?.split("\n") ?? [])].map(literalHtml)
  return `<p style="font-size:12px;text-align:center">${lines.join("<br>")}<br><a href="${UNSUBSCRIBE_URL.html}">Unsubscribe</a></p>`
}

const footerText = ({ name, postalAddress }: Sender) =>
  [
    literalText(name),
    ...(postalAddress === null ? [] : [literalText(postalAddress)]),
    `Unsubscribe: ${UNSUBSCRIBE_URL.text}`,
  ].join("\n")
