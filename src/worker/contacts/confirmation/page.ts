import { html } from "hono/html"
import { publicPage } from "../public-page.ts"
import type { Language } from "../unsubscribe/texts.ts"
import type { ConfirmationState } from "./confirm.ts"
import { CONFIRM_TEXTS } from "./texts.ts"

/** Works without script. */
export function confirmationPage(
  language: Language,
  email: string,
  { state, found, sender }: Pick<ConfirmationState, "state" | "found" | "sender">,
) {
  const texts = CONFIRM_TEXTS[language]
  const address = html`<p class="address" translate="no">${email}</p>`
  const page = (heading: string, content: unknown) =>
    publicPage(language, heading, content, sender, sender?.brand)
  if (state === "over") return page(texts.over, html`<p>${texts.overHint}</p>`)
  if (state === "done") return page(texts.done, address)
  const wording = found?.confirmation.wording
  return page(
    texts.title,
    html`<p>${texts.question}</p>
${address}
${wording ? html`<p class="wording" translate="no">${wording}</p>` : ""}
<form method="post">
<button type="submit">${texts.button}</button>
</form>`,
  )
}
