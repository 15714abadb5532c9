import { html } from "hono/html"
import type { Sender } from "../../teams/contract.ts"
import { publicPage } from "../links/public-page.ts"
import { type Language, TEXTS } from "./texts.ts"

/** The form's field for the other books of the team. */
export const EVERY_BOOK = "everything"

/** The form's field for taking the unsubscription back. */
export const UNDO = "undo"

export interface Shown {
  language: Language
  email: string
  sender: Sender | undefined
  /** The URL of the preference page. */
  preferences: string
  /** What the button that undoes the unsubscription sends. Absent: there is none. */
  undo?: string | undefined
}

/** Works without script. */
export function askPage({ language, email, sender, preferences }: Shown) {
  const { unsubscribe, question, everything } = TEXTS[language]
  return publicPage(
    language,
    unsubscribe,
    html`<p>${question}</p>
${address(email)}
<form method="post">
<label><input type="checkbox" name="${EVERY_BOOK}" value="yes"> ${everything}</label>
<button type="submit">${unsubscribe}</button>
</form>
${preferencesLink(language, preferences)}`,
    sender,
  )
}

export function donePage({ language, email, sender, preferences, undo }: Shown) {
  const { done, stillSent, undo: again } = TEXTS[language]
  const form = undo
    ? html`<form method="post">
<input type="hidden" name="${UNDO}" value="${undo}">
<button class="second" type="submit">${again}</button>
</form>`
    : ""
  return publicPage(
    language,
    done,
    html`${address(email)}
<p>${stillSent}</p>
${form}
${preferencesLink(language, preferences)}`,
    sender,
  )
}

export const undonePage = ({ language, email, sender, preferences }: Shown) =>
  publicPage(
    language,
    TEXTS[language].undone,
    html`${address(email)}
${preferencesLink(language, preferences)}`,
    sender,
  )

const address = (email: string) => html`<p class="address" translate="no">${email}</p>`

const preferencesLink = (language: Language, url: string) =>
  html`<p class="more"><a href="${url}">${TEXTS[language].preferences}</a></p>`

export function badLinkPage(language: Language) {
  const { badLink, badLinkHint } = TEXTS[language]
  return publicPage(language, badLink, html`<p>${badLinkHint}</p>`)
}
