import { html } from "hono/html"
import { publicPage } from "../links/public-page.ts"
import type { Language } from "../unsubscribe/texts.ts"
import { FIELDS, shownState } from "./form.ts"
import type { Choice, Preferences } from "./preferences.ts"

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
  const note = description ? html` <small dir="auto">${description}</small>` : ""
  return html`<input type="hidden" name="${FIELDS.shown}" value="${shownState(choice)}">
<label dir="auto"><input type="checkbox" name="${FIELDS.on}" value="${id}"${state}> <span translate="no">${name}${note}</span></label>
`
}

interface Texts {
  title: string
  /** Stands before the address. */
  intro: string
  /** Over the books. */
  books: string
  /** Over the topics. */
  topics: string
  save: string
  saved: string
  /** A choice was not saved, because it was changed elsewhere after the page was opened. */
  changed: string
  /** The button that ends all subscriptions. */
  stopAll: string
  /** For an address that is in no book. */
  nothing: string
}

const PREFERENCES_TEXTS: Record<Language, Texts> = {
  en: {
    title: "Email preferences",
    intro: "Choose what you want to get at this address.",
    books: "Newsletters",
    topics: "Topics",
    save: "Save",
    saved: "Your choices are saved.",
    changed: "Something had changed since you opened this page. Please check your choices.",
    stopAll: "Unsubscribe from all newsletters",
    nothing: "This address gets no newsletters from this sender.",
  },
  de: {
    title: "E-Mail-Einstellungen",
    intro: "Wählen Sie, was Sie an diese Adresse erhalten möchten.",
    books: "Newsletter",
    topics: "Themen",
    save: "Speichern",
    saved: "Ihre Auswahl ist gespeichert.",
    changed:
      "Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Bitte prüfen Sie Ihre Auswahl.",
    stopAll: "Alle Newsletter abbestellen",
    nothing: "Diese Adresse erhält keine Newsletter dieses Absenders.",
  },
  fr: {
    title: "Préférences d’e-mail",
    intro: "Choisissez ce que vous souhaitez recevoir à cette adresse.",
    books: "Newsletters",
    topics: "Thèmes",
    save: "Enregistrer",
    saved: "Vos choix sont enregistrés.",
    changed: "Un réglage a changé depuis l’ouverture de cette page. Veuillez vérifier vos choix.",
    stopAll: "Me désabonner de toutes les newsletters",
    nothing: "Cette adresse ne reçoit aucune newsletter de cet expéditeur.",
  },
  es: {
    title: "Preferencias de correo",
    intro: "Elija qué desea recibir en esta dirección.",
    books: "Boletines",
    topics: "Temas",
    save: "Guardar",
    saved: "Sus preferencias se han guardado.",
    changed: "Algo ha cambiado desde que abrió esta página. Compruebe sus preferencias.",
    stopAll: "Cancelar todos los boletines",
    nothing: "Esta dirección no recibe boletines de este remitente.",
  },
  it: {
    title: "Preferenze e-mail",
    intro: "Scelga che cosa ricevere a questo indirizzo.",
    books: "Newsletter",
    topics: "Argomenti",
    save: "Salva",
    saved: "Le sue scelte sono state salvate.",
    changed: "Qualcosa è cambiato da quando ha aperto questa pagina. Controlli le sue scelte.",
    stopAll: "Annulla l’iscrizione a tutte le newsletter",
    nothing: "Questo indirizzo non riceve newsletter da questo mittente.",
  },
  pt: {
    title: "Preferências de e-mail",
    intro: "Escolha o que quer receber neste endereço.",
    books: "Newsletters",
    topics: "Temas",
    save: "Guardar",
    saved: "As suas escolhas foram guardadas.",
    changed: "Algo mudou desde que abriu esta página. Verifique as suas escolhas.",
    stopAll: "Cancelar todas as newsletters",
    nothing: "Este endereço não recebe newsletters deste remetente.",
  },
  nl: {
    title: "E-mailvoorkeuren",
    intro: "Kies wat u op dit adres wilt ontvangen.",
    books: "Nieuwsbrieven",
    topics: "Onderwerpen",
    save: "Opslaan",
    saved: "Uw keuzes zijn opgeslagen.",
    changed: "Er is iets gewijzigd sinds u deze pagina opende. Controleer uw keuzes.",
    stopAll: "Afmelden voor alle nieuwsbrieven",
    nothing: "Dit adres ontvangt geen nieuwsbrieven van deze afzender.",
  },
  pl: {
    title: "Ustawienia e-maili",
    intro: "Wybierz, co chcesz otrzymywać na ten adres.",
    books: "Newslettery",
    topics: "Tematy",
    save: "Zapisz",
    saved: "Twój wybór został zapisany.",
    changed: "Od otwarcia tej strony coś się zmieniło. Sprawdź swój wybór.",
    stopAll: "Wypisz mnie ze wszystkich newsletterów",
    nothing: "Ten adres nie otrzymuje newsletterów od tego nadawcy.",
  },
  ja: {
    title: "メール配信の設定",
    intro: "このアドレスで受け取るものを選んでください。",
    books: "ニュースレター",
    topics: "トピック",
    save: "保存する",
    saved: "設定を保存しました。",
    changed: "このページを開いた後に設定が変更されています。内容をご確認ください。",
    stopAll: "すべてのニュースレターの配信を停止する",
    nothing: "このアドレスには、この送信者からのニュースレターは届いていません。",
  },
}
