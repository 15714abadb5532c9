import { html } from "hono/html"
import { publicPage } from "../public-page.ts"
import type { Language } from "../unsubscribe/texts.ts"
import { FIELDS, shownState } from "./form.ts"
import type { Choice, Preferences } from "./preferences.ts"
import { PREFERENCES_TEXTS } from "./texts.ts"

/** Works without script. `outcome` is the name of the text above the form. */
export function preferencesPage(
  language: Language,
  { email, sender, books, topics }: Omit<Preferences, "contacts">,
  outcome?: "saved" | "changed",
) {
  const texts = PREFERENCES_TEXTS[language]
  const status = outcome ? html`<p class="status" role="status">${texts[outcome]}</p>` : ""
  const address = html`<p class="address" translate="no">${email}</p>`
  if (books.length === 0) {
    return publicPage(language, texts.title, html`${address}<p>${texts.nothing}</p>`, sender)
  }
  const stopAll = books.some(({ isOn }) => isOn)
    ? html`<button class="second" type="submit" name="${FIELDS.stopAll}" value="all">${texts.stopAll}</button>`
    : ""
  return publicPage(
    language,
    texts.title,
    html`${status}<p>${texts.intro}</p>
${address}
<form method="post">
${group(texts.books, books)}
${topics.length > 0 ? group(texts.topics, topics) : ""}
<button type="submit">${texts.save}</button>
${stopAll}
</form>`,
    sender,
  )
}

const group = (legend: string, choices: readonly Choice[]) => html`<fieldset>
<legend>${legend}</legend>
${choices.map(box)}
</fieldset>`

const box = (choice: Choice) => {
  const { id, name, description, isOn, isFinal } = choice
  const state = isOn ? " checked" : isFinal ? " disabled" : ""
  const note = description ? html` <small>${description}</small>` : ""
  return html`<input type="hidden" name="${FIELDS.shown}" value="${shownState(choice)}">
<label><input type="checkbox" name="${FIELDS.on}" value="${id}"${state}> <span translate="no">${name}${note}</span></label>
`
}
