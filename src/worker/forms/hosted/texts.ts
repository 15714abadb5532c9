import type { Language } from "../../contacts/unsubscribe/texts.ts"

interface Texts {
  button: string
  done: string
  doneHint: string
  /** Stands above a form with wrong fields. */
  check: string
  required: string
  notAnAddress: string
  notAValue: string
  /** The first entry of a select. */
  choose: string
  closed: string
  closedHint: string
  notSent: string
  later: string
  /** A Turnstile token is missing, too old or used. */
  reload: string
  /** A form with Turnstile, which needs a script, has no page here. */
  elsewhere: string
  optional: string
}

export const FORM_TEXTS: Record<Language, Texts> = {
  en: {
    button: "Subscribe",
    done: "Check your inbox",
    doneHint: "If a confirmation is needed, you get an email with a link. Press the button there.",
    check: "Please check the marked fields.",
    required: "Fill in this field",
    notAnAddress: "Not a valid email address",
    notAValue: "Not a valid value",
    choose: "Choose",
    closed: "This form is not available",
    closedHint: "It was closed, or the address is not complete.",
    notSent: "The form was not sent",
    later: "Please try again in a minute.",
    reload: "Go back, reload the page and fill in the form again.",
    elsewhere: "This form can only be sent from the website that shows it.",
    optional: "optional",
  },
  de: {
    button: "Anmelden",
    done: "Sehen Sie in Ihr Postfach",
    doneHint:
      "Falls eine Bestätigung nötig ist, erhalten Sie eine E-Mail mit einem Link. Drücken Sie dort auf den Knopf.",
    check: "Bitte prüfen Sie die markierten Felder.",
    required: "Füllen Sie dieses Feld aus",
    notAnAddress: "Keine gültige E-Mail-Adresse",
    notAValue: "Kein gültiger Wert",
    choose: "Auswählen",
    closed: "Dieses Formular ist nicht verfügbar",
    closedHint: "Es wurde geschlossen, oder die Adresse ist unvollständig.",
    notSent: "Das Formular wurde nicht gesendet",
    later: "Bitte versuchen Sie es in einer Minute noch einmal.",
    reload:
      "Gehen Sie zurück, laden Sie die Seite neu und füllen Sie das Formular noch einmal aus.",
    elsewhere: "Dieses Formular lässt sich nur von der Website absenden, die es zeigt.",
    optional: "freiwillig",
  },
  fr: {
    button: "S’inscrire",
    done: "Consultez votre boîte de réception",
    doneHint:
      "Si une confirmation est nécessaire, vous recevez un e-mail avec un lien. Appuyez sur le bouton qui s’y trouve.",
    check: "Veuillez vérifier les champs indiqués.",
    required: "Remplissez ce champ",
    notAnAddress: "Adresse e-mail non valide",
    notAValue: "Valeur non valide",
    choose: "Choisir",
    closed: "Ce formulaire n’est pas disponible",
    closedHint: "Il a été fermé, ou l’adresse est incomplète.",
    notSent: "Le formulaire n’a pas été envoyé",
    later: "Veuillez réessayer dans une minute.",
    reload: "Revenez en arrière, rechargez la page et remplissez de nouveau le formulaire.",
    elsewhere: "Ce formulaire ne peut être envoyé que depuis le site qui l’affiche.",
    optional: "facultatif",
  },
  es: {
    button: "Suscribirse",
    done: "Revise su bandeja de entrada",
    doneHint:
      "Si hace falta una confirmación, recibirá un correo con un enlace. Pulse el botón que contiene.",
    check: "Compruebe los campos marcados.",
    required: "Rellene este campo",
    notAnAddress: "La dirección de correo no es válida",
    notAValue: "El valor no es válido",
    choose: "Elegir",
    closed: "Este formulario no está disponible",
    closedHint: "Se ha cerrado, o la dirección está incompleta.",
    notSent: "El formulario no se ha enviado",
    later: "Inténtelo de nuevo dentro de un minuto.",
    reload: "Vuelva atrás, recargue la página y rellene de nuevo el formulario.",
    elsewhere: "Este formulario solo puede enviarse desde el sitio web que lo muestra.",
    optional: "opcional",
  },
  it: {
    button: "Iscriviti",
    done: "Controlli la posta in arrivo",
    doneHint:
      "Se serve una conferma, riceverà un’e-mail con un link. Prema il pulsante che contiene.",
    check: "Controlli i campi indicati.",
    required: "Compili questo campo",
    notAnAddress: "Indirizzo e-mail non valido",
    notAValue: "Valore non valido",
    choose: "Scegli",
    closed: "Questo modulo non è disponibile",
    closedHint: "È stato chiuso, oppure l’indirizzo è incompleto.",
    notSent: "Il modulo non è stato inviato",
    later: "Riprovi tra un minuto.",
    reload: "Torni indietro, ricarichi la pagina e compili di nuovo il modulo.",
    elsewhere: "Questo modulo si può inviare solo dal sito che lo mostra.",
    optional: "facoltativo",
  },
  pt: {
    button: "Subscrever",
    done: "Veja a sua caixa de entrada",
    doneHint:
      "Se for necessária uma confirmação, recebe um e-mail com uma ligação. Carregue no botão que contém.",
    check: "Verifique os campos assinalados.",
    required: "Preencha este campo",
    notAnAddress: "Endereço de e-mail inválido",
    notAValue: "Valor inválido",
    choose: "Escolher",
    closed: "Este formulário não está disponível",
    closedHint: "Foi fechado, ou o endereço está incompleto.",
    notSent: "O formulário não foi enviado",
    later: "Tente de novo dentro de um minuto.",
    reload: "Volte atrás, recarregue a página e preencha de novo o formulário.",
    elsewhere: "Este formulário só pode ser enviado a partir do site que o mostra.",
    optional: "facultativo",
  },
  nl: {
    button: "Aanmelden",
    done: "Bekijk uw inbox",
    doneHint:
      "Als een bevestiging nodig is, krijgt u een e-mail met een link. Druk daar op de knop.",
    check: "Controleer de gemarkeerde velden.",
    required: "Vul dit veld in",
    notAnAddress: "Geen geldig e-mailadres",
    notAValue: "Geen geldige waarde",
    choose: "Kiezen",
    closed: "Dit formulier is niet beschikbaar",
    closedHint: "Het is gesloten, of het adres is niet volledig.",
    notSent: "Het formulier is niet verzonden",
    later: "Probeer het over een minuut opnieuw.",
    reload: "Ga terug, laad de pagina opnieuw en vul het formulier nog een keer in.",
    elsewhere: "Dit formulier kan alleen worden verzonden vanaf de website die het toont.",
    optional: "optioneel",
  },
  pl: {
    button: "Zapisz się",
    done: "Sprawdź swoją skrzynkę",
    doneHint:
      "Jeśli potrzebne jest potwierdzenie, otrzymasz wiadomość z linkiem. Naciśnij znajdujący się w niej przycisk.",
    check: "Sprawdź zaznaczone pola.",
    required: "Wypełnij to pole",
    notAnAddress: "Nieprawidłowy adres e-mail",
    notAValue: "Nieprawidłowa wartość",
    choose: "Wybierz",
    closed: "Ten formularz jest niedostępny",
    closedHint: "Został zamknięty lub adres jest niepełny.",
    notSent: "Formularz nie został wysłany",
    later: "Spróbuj ponownie za minutę.",
    reload: "Wróć, odśwież stronę i wypełnij formularz ponownie.",
    elsewhere: "Ten formularz można wysłać tylko ze strony, która go pokazuje.",
    optional: "opcjonalnie",
  },
  ja: {
    button: "登録する",
    done: "受信トレイをご確認ください",
    doneHint:
      "確認が必要な場合は、リンクを記載したメールが届きます。メール内のボタンを押してください。",
    check: "印のある項目をご確認ください。",
    required: "この項目を入力してください",
    notAnAddress: "メールアドレスが正しくありません",
    notAValue: "値が正しくありません",
    choose: "選択してください",
    closed: "このフォームは利用できません",
    closedHint: "フォームが終了したか、アドレスが正しくありません。",
    notSent: "フォームは送信されませんでした",
    later: "1分後にもう一度お試しください。",
    reload: "前のページに戻って再読み込みし、もう一度入力してください。",
    elsewhere: "このフォームは、掲載しているサイトからのみ送信できます。",
    optional: "任意",
  },
}
