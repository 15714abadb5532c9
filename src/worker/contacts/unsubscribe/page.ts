import { html } from "hono/html"
import type { Sender } from "../../teams/contract.ts"
import { publicPage } from "../public-page.ts"
import { type Language, TEXTS } from "./texts.ts"

/** The form's field for the other books of the team. */
export const EVERY_BOOK = "everything"

/** Works without script. */
export function askPage(language: Language, email: string, sender: Sender | undefined) {
  const { unsubscribe, question, everything } = TEXTS[language]
  return publicPage(
    language,
    unsubscribe,
    html`<p>${question}</p>
<p class="address" translate="no">${email}</p>
<form method="post">
<label><input type="checkbox" name="${EVERY_BOOK}" value="yes"> ${everything}</label>
<button type="submit">${unsubscribe}</button>
</form>`,
    sender,
  )
}

export function donePage(language: Language, email: string, sender: Sender | undefined) {
  const { done, stillSent } = TEXTS[language]
  return publicPage(
    language,
    done,
    html`<p class="address" translate="no">${email}</p>
<p>${stillSent}</p>`,
    sender,
  )
}

export function badLinkPage(language: Language) {
  const { badLink, badLinkHint } = TEXTS[language]
  return publicPage(language, badLink, html`<p>${badLinkHint}</p>`)
}
