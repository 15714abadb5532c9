import { html } from "hono/html"
import { publicPage } from "../links/public-page.ts"
import type { Language } from "../unsubscribe/texts.ts"
import type { ConfirmationState } from "./confirm.ts"

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
${wording ? html`<p class="wording" translate="no" dir="auto">${wording}</p>` : ""}
<form method="post">
<button type="submit">${texts.button}</button>
</form>`,
  )
}

interface Texts {
  title: string
  /** Stands before the address. */
  question: string
  button: string
  done: string
  /** The link can do nothing any more. */
  over: string
  overHint: string
}

const CONFIRM_TEXTS: Record<Language, Texts> = {
  en: {
    title: "Confirm your subscription",
    question: "Shall mail go to this address?",
    button: "Confirm",
    done: "You are subscribed",
    over: "This link is not valid any more",
    overHint: "Fill in the form again to subscribe.",
  },
  de: {
    title: "Anmeldung bestätigen",
    question: "Möchten Sie an dieser Adresse Post erhalten?",
    button: "Bestätigen",
    done: "Sie sind angemeldet",
    over: "Dieser Link gilt nicht mehr",
    overHint: "Füllen Sie das Formular noch einmal aus, um sich anzumelden.",
  },
  fr: {
    title: "Confirmer votre inscription",
    question: "Souhaitez-vous recevoir des e-mails à cette adresse ?",
    button: "Confirmer",
    done: "Vous êtes inscrit",
    over: "Ce lien n’est plus valide",
    overHint: "Remplissez de nouveau le formulaire pour vous inscrire.",
  },
  es: {
    title: "Confirme su suscripción",
    question: "¿Desea recibir correos en esta dirección?",
    button: "Confirmar",
    done: "Su suscripción está confirmada",
    over: "Este enlace ya no es válido",
    overHint: "Rellene de nuevo el formulario para suscribirse.",
  },
  it: {
    title: "Conferma l’iscrizione",
    question: "Desidera ricevere e-mail a questo indirizzo?",
    button: "Conferma",
    done: "L’iscrizione è confermata",
    over: "Questo link non è più valido",
    overHint: "Compili di nuovo il modulo per iscriversi.",
  },
  pt: {
    title: "Confirme a sua subscrição",
    question: "Quer receber e-mails neste endereço?",
    button: "Confirmar",
    done: "A sua subscrição está confirmada",
    over: "Esta ligação já não é válida",
    overHint: "Preencha de novo o formulário para subscrever.",
  },
  nl: {
    title: "Bevestig uw aanmelding",
    question: "Wilt u op dit adres e-mail ontvangen?",
    button: "Bevestigen",
    done: "U bent aangemeld",
    over: "Deze link is niet meer geldig",
    overHint: "Vul het formulier opnieuw in om u aan te melden.",
  },
  pl: {
    title: "Potwierdź subskrypcję",
    question: "Czy chcesz otrzymywać wiadomości na ten adres?",
    button: "Potwierdź",
    done: "Subskrypcja została potwierdzona",
    over: "Ten link stracił ważność",
    overHint: "Wypełnij formularz ponownie, aby się zapisać.",
  },
  ja: {
    title: "登録の確認",
    question: "このアドレスでメールを受け取りますか？",
    button: "登録を確認する",
    done: "登録が完了しました",
    over: "このリンクは無効になりました",
    overHint: "登録するには、もう一度フォームに入力してください。",
  },
}
