import { html } from "hono/html"
import { publicPage } from "../../contacts/links/public-page.ts"
import type { Language } from "../../contacts/unsubscribe/texts.ts"
import type { Issue } from "../../platform/http/errors.ts"
import type { Brand } from "../../teams/brand-contract.ts"
import type { Sender } from "../../teams/contract.ts"
import type { FormField } from "../contract.ts"
import { ADDRESS_FIELD, HONEYPOT } from "../field-names.ts"
import type { Posted } from "../read-submission.ts"
import type { FormRow } from "../table.ts"
import { FORM_TEXTS } from "./texts.ts"

export interface ShownForm {
  form: Pick<FormRow, "id" | "name" | "fields" | "wording" | "turnstileSecret">
  sender: Sender & { brand: Brand | null }
}

/** Works without script. */
export function formPage(
  language: Language,
  { form, sender }: ShownForm,
  { posted = {}, issues = [] }: { posted?: Posted; issues?: readonly Issue[] } = {},
) {
  const texts = FORM_TEXTS[language]
  const status = issues.length > 0 ? html`<p class="status" role="alert">${texts.check}</p>` : ""
  const wrong = new Set(issues.map(({ path }) => path[0]))
  const fields = form.fields.map((field, index) =>
    renderField(language, field, {
      index,
      value: posted[field.name],
      isWrong: wrong.has(field.name),
    }),
  )
  const content = form.turnstileSecret
    ? html`<p>${texts.elsewhere}</p>`
    : html`${status}<form method="post" action="/f/${form.id}" novalidate>
${fields}
<div class="trap" aria-hidden="true"><input name="${HONEYPOT}" tabindex="-1" autocomplete="off"></div>
<p class="wording" translate="no" dir="auto">${form.wording}</p>
<button type="submit">${texts.button}</button>
</form>`
  return publicPage(language, form.name, content, sender, sender.brand)
}

export const donePage = (language: Language, { sender }: ShownForm) =>
  publicPage(
    language,
    FORM_TEXTS[language].done,
    html`<p>${FORM_TEXTS[language].doneHint}</p>`,
    sender,
    sender.brand,
  )

export const closedPage = (language: Language) =>
  publicPage(language, FORM_TEXTS[language].closed, html`<p>${FORM_TEXTS[language].closedHint}</p>`)

export const notSentPage = (language: Language, hint: "later" | "reload") =>
  publicPage(language, FORM_TEXTS[language].notSent, html`<p>${FORM_TEXTS[language][hint]}</p>`)

interface Shown {
  index: number
  value: unknown
  isWrong: boolean
}

const COMPLETED: Record<string, string> = {
  [ADDRESS_FIELD]: "email",
  firstName: "given-name",
  lastName: "family-name",
}

function renderField(language: Language, field: FormField, { index, value, isWrong }: Shown) {
  const texts = FORM_TEXTS[language]
  const { name, label, type, required, options = [] } = field
  const error = `error-${index}`
  const text = typeof value === "string" ? value : ""
  const note = type === "email" ? texts.notAnAddress : texts.notAValue
  const message = isWrong
    ? html` <span class="wrong" id="${error}">${text.trim() === "" ? texts.required : note}</span>`
    : ""
  const optional = required ? "" : html` <small>(${texts.optional})</small>`
  const state = isWrong ? html` aria-invalid="true" aria-describedby="${error}"` : ""
  const needed = required ? html` required` : ""
  if (type === "checkbox") {
    const checked = value === undefined ? "" : html` checked`
    return html`<label dir="auto"><input type="checkbox" name="${name}" value="yes"${checked}${needed}${state}> <span><span translate="no">${label}</span>${message}</span></label>
`
  }
  const title = html`<span translate="no">${label}</span>${optional}${message}`
  if (type === "select") {
    const entries = options.map(
      (option) =>
        html`<option dir="auto"${option === value ? html` selected` : ""}>${option}</option>`,
    )
    return html`<label class="field" dir="auto">${title}<select name="${name}"${needed}${state}><option value="">${texts.choose}</option>${entries}</select></label>
`
  }
  const completed = COMPLETED[name] ? html` autocomplete="${COMPLETED[name]}"` : ""
  return html`<label class="field" dir="auto">${title}<input dir="auto" type="${type}" name="${name}" value="${text}"${completed}${needed}${state}></label>
`
}
