interface Texts {
  /** The heading and the button of the page that asks. */
  unsubscribe: string
  /** Stands before the address. */
  question: string
  /** A checkbox: the other books of the team. */
  everything: string
  done: string
  /** Other mail that goes on. */
  stillSent: string
  /** The button that takes the unsubscription back. */
  undo: string
  undone: string
  /** The link to the preference page. */
  preferences: string
  badLink: string
  badLinkHint: string
}

export const TEXTS = {
  en: {
    unsubscribe: "Unsubscribe",
    question: "Stop newsletters to this address?",
    everything: "Also stop all other newsletters from this sender",
    done: "You are unsubscribed",
    stillSent: "Messages about your account or your orders may still reach you.",
    undo: "You unsubscribed by mistake? Subscribe again",
    undone: "You are subscribed again",
    preferences: "Choose what you want to get",
    badLink: "This link is not valid",
    badLinkHint: "Go back to the email and open the link again.",
  },
  de: {
    unsubscribe: "Abmelden",
    question: "Keine Newsletter mehr an diese Adresse?",
    everything: "Auch alle anderen Newsletter dieses Absenders abbestellen",
    done: "Sie sind abgemeldet",
    stillSent: "Nachrichten zu Ihrem Konto oder Ihren Bestellungen erhalten Sie weiterhin.",
    undo: "Versehentlich abgemeldet? Wieder anmelden",
    undone: "Sie sind wieder angemeldet",
    preferences: "Auswählen, was Sie erhalten möchten",
    badLink: "Dieser Link ist ungültig",
    badLinkHint: "Öffnen Sie ihn noch einmal vollständig aus der E-Mail.",
  },
  fr: {
    unsubscribe: "Se désabonner",
    question: "Ne plus envoyer de newsletters à cette adresse ?",
    everything: "Me désabonner aussi de toutes les autres newsletters de cet expéditeur",
    done: "Vous êtes désabonné(e)",
    stillSent: "Vous pourrez encore recevoir des messages sur votre compte ou vos commandes.",
    undo: "Désabonné par erreur ? Se réabonner",
    undone: "Vous êtes de nouveau abonné(e)",
    preferences: "Choisir ce que vous souhaitez recevoir",
    badLink: "Ce lien n’est pas valide",
    badLinkHint: "Ouvrez-le de nouveau, en entier, depuis l’e-mail.",
  },
  es: {
    unsubscribe: "Cancelar la suscripción",
    question: "¿Dejar de enviar boletines a esta dirección?",
    everything: "Cancelar también los demás boletines de este remitente",
    done: "Suscripción cancelada",
    stillSent: "Es posible que aún reciba mensajes sobre su cuenta o sus pedidos.",
    undo: "¿Ha sido un error? Volver a suscribirme",
    undone: "Vuelve a estar suscrito",
    preferences: "Elegir qué desea recibir",
    badLink: "Este enlace no es válido",
    badLinkHint: "Ábralo de nuevo, completo, desde el correo.",
  },
  it: {
    unsubscribe: "Annulla l’iscrizione",
    question: "Non inviare più newsletter a questo indirizzo?",
    everything: "Annulla anche tutte le altre newsletter di questo mittente",
    done: "Iscrizione annullata",
    stillSent: "Potrà ancora ricevere messaggi sul suo account o sui suoi ordini.",
    undo: "È stato un errore? Iscriversi di nuovo",
    undone: "La sua iscrizione è di nuovo attiva",
    preferences: "Scegliere che cosa ricevere",
    badLink: "Questo link non è valido",
    badLinkHint: "Lo apra di nuovo, per intero, dall’e-mail.",
  },
  pt: {
    unsubscribe: "Cancelar a subscrição",
    question: "Deixar de enviar newsletters para este endereço?",
    everything: "Cancelar também todas as outras newsletters deste remetente",
    done: "Subscrição cancelada",
    stillSent: "Ainda poderá receber mensagens sobre a sua conta ou as suas encomendas.",
    undo: "Foi um engano? Voltar a subscrever",
    undone: "A sua subscrição está de novo ativa",
    preferences: "Escolher o que quer receber",
    badLink: "Esta ligação não é válida",
    badLinkHint: "Abra-a de novo, completa, a partir do e-mail.",
  },
  nl: {
    unsubscribe: "Afmelden",
    question: "Geen nieuwsbrieven meer naar dit adres?",
    everything: "Ook alle andere nieuwsbrieven van deze afzender stoppen",
    done: "U bent afgemeld",
    stillSent: "Berichten over uw account of bestellingen kunt u nog wel ontvangen.",
    undo: "Per ongeluk afgemeld? Weer aanmelden",
    undone: "U bent weer aangemeld",
    preferences: "Kiezen wat u wilt ontvangen",
    badLink: "Deze link is niet geldig",
    badLinkHint: "Open hem nog eens, in zijn geheel, vanuit de e-mail.",
  },
  pl: {
    unsubscribe: "Wypisz się",
    question: "Nie wysyłać więcej newsletterów na ten adres?",
    everything: "Wypisz mnie także z pozostałych newsletterów tego nadawcy",
    done: "Wypisano z listy",
    stillSent: "Nadal możesz otrzymywać wiadomości o koncie lub zamówieniach.",
    undo: "To pomyłka? Zapisz się ponownie",
    undone: "Subskrypcja jest znów aktywna",
    preferences: "Wybierz, co chcesz otrzymywać",
    badLink: "Ten link jest nieprawidłowy",
    badLinkHint: "Otwórz go jeszcze raz, w całości, z wiadomości.",
  },
  ja: {
    unsubscribe: "配信を停止する",
    question: "このアドレスへのニュースレターの配信を停止しますか？",
    everything: "この送信者からの他のニュースレターもすべて停止する",
    done: "配信を停止しました",
    stillSent: "アカウントやご注文に関するメールは、引き続き届くことがあります。",
    undo: "間違えて停止した場合は、配信を再開する",
    undone: "配信を再開しました",
    preferences: "受け取るものを選ぶ",
    badLink: "このリンクは無効です",
    badLinkHint: "メールからリンク全体をもう一度開いてください。",
  },
} satisfies Record<string, Texts>

export type Language = keyof typeof TEXTS
export const LANGUAGES = Object.keys(TEXTS) as Language[]
