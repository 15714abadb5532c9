/** Words about consent in the files of other services, compared as `toPlain` writes them. */

/** In lower case, with one space for whatever is no letter or digit: `HasOptedOut` is `has opted out`. */
export const toPlain = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}✓✔☑✗✘]+/gu, " ")
    .trim()

const list = (text: string) => text.split(/\s*,\s*/)
const anyOf = (...parts: string[]) => new RegExp(parts.join("|"), "u")

/** What stands for an empty cell. */
export const EMPTY = new Set(
  list(",null,none,nil,na,n a,nan,undefined,0000 00 00,0000 00 00 00 00 00"),
)

export const TRUE = new Set(
  list(
    "true,t,yes,y,1,on,x,✓,✔,☑,ja,j,wahr,oui,o,vrai,si,sí,s,verdadero,cierto,sim,verdadeiro,vero,waar,tak,prawda,да,истина,ano,áno,pravda,da,igen,evet,doğru,kyllä,jah,joo,はい,是,对,예,네,نعم,כן",
  ),
)

export const FALSE = new Set(
  list(
    "false,f,no,n,0,off,never,✗,✘,nein,falsch,non,faux,falso,não,nao,nee,onwaar,nie,fałsz,нет,ложь,ne,nepravda,nu,nem,hayır,yanlış,nej,nei,ei,いいえ,否,不,아니요,لا,לא",
  ),
)

/** Nothing but a yes to mail. */
export const CLEARLY_SUBSCRIBED = new Set(
  list(
    "subscribed,subscriber,opted in,opt in,optin,optedin,single opt in,double opt in,double optin,confirmed opt in,explicit opt in,consented,consent given,mailable,marketing contact,express,express consent,abonniert,abonnent,angemeldet,eingetragen,eingewilligt,zugestimmt,einwilligung erteilt,abonné,abonnée,inscrit,inscrite,suscrito,suscrita,suscriptor,inscrito,inscrita,assinante,iscritto,iscritta,ingeschreven,geabonneerd,aangemeld,zapisany,subskrybent,подписан,подписана,подписчик,přihlášen,abone,prenumererar,tilmeldt,påmeldt,購読中,登録済み,已订阅,구독",
  ),
)

/** A yes in a column of states. Elsewhere these words have other meanings, too. */
export const ALSO_SUBSCRIBED = new Set(
  list(
    "active,enabled,given,confirmed,verified,accepted,granted,allowed,agreed,approved,aktiv,bestätigt,erlaubt,akzeptiert,actif,active,activé,confirmé,confirmée,accepté,activo,activa,confirmado,confirmada,aceptado,ativo,ativa,aceito,attivo,attiva,confermato,confermata,accettato,actief,bevestigd,aktywny,aktywna,potwierdzony,активен,активна,активный,подтвержден,подтверждён,aktivní,有効,활성",
  ),
)

export const BOUNCED = anyOf(
  "bounc|undeliver|unzustell|nicht zustell|\\bcleaned\\b|\\bclean (time|date|campaign)|hard ?fail",
  "rebot|rebond|devuelt|rimbalz|odbit|отскок|недостав|バウンス|退信",
)

export const COMPLAINED = anyOf(
  "complain|\\bspam|abuse|\\bjunk|beschwer|plainte|queja|reclama|segnalat|klacht|skarg|жалоб|迷惑|投诉",
)

/** Parts of words that only somebody has who does not want mail. */
const LEFT = [
  "\\bun ?sub|opt(ed|s)? ?out|optout|(black|block) ?list|suppress|do not (e ?)?(mail|contact|send)|dont (e ?)?mail",
  "abgemeld|abbestell|ausgetrag|widerruf|widerspr|sperrlist|désabonn|desabonn|désinscri|desinscri|desuscri",
  "\\bbaja\\b|disiscri|descadastr|uitgeschr|afgemeld|wypisan|отпис|odhláš|avregistr|avmeld|afmeld|framel",
  "abonelikten çık|退订|配信停止|購読解除|登録解除|수신거부|구독취소",
]

/** Words that mean so in a column of states. */
const AWAY = [
  "cancel|inactiv|disabl|deactiv|block|remov|delet|archiv|\\bleft\\b|churn|expir(?!(e|es|y|ation|ing|a|ación|ação)( |$))|withdr|revok|exclud|\\bstop|invalid|suspend|\\bbanned|\\bdnc\\b",
  "gekündig|kündig|gesperrt|inaktiv|gelösch|deaktiv|entfernt|inactif|résili|bloqu|supprim|désactiv|anulad|elimin",
  "annullat|inattiv|rimoss|bloccat|revocat|inativ|removid|opgezegd|geblokk|verwijder|inactief|nieaktyw|zrezygn",
  "usuni|zablok|неактив|отказ|заблок|удал|\\biptal|peruut|取消|解除|停止|無効|비활성",
]

/** Not yet, or never. */
const NEVER = [
  "pending|unconfirm|unverif|unactivat|await|\\bhold\\b|paus|declin|reject|refus|denied|\\bquit\\b|dormant|transactional",
  "ausstehend|unbestätigt|abgelehnt|attente|pendiente|rechaz|attesa|pendente|wachtend|oczekuj|ожида|未確認|未确认|대기",
]

const NEGATION =
  "(^| )(no(?! of )|not|non|never|don ?t|without|kein\\p{L}*|nicht|nie|niemals|ohne|pas|jamais|sin|nunca|sem|senza|mai|não|niet|geen|nooit|не|нет|без|ej|inte|ikke|ei|ne)"

export const CLEAR_NO = anyOf(...LEFT, BOUNCED.source, COMPLAINED.source)
export const NOT_SUBSCRIBED = anyOf(...LEFT, ...AWAY, ...NEVER, `${NEGATION} \\p{L}`)

/** Headers under which any value, or a yes, is a no to mail. */
export const AGAINST = anyOf(
  ...LEFT,
  BOUNCED.source,
  COMPLAINED.source,
  `${NEGATION} (.* )?(e ?mail|mail|send|contact|kontakt|market|news|werbung|promo|publi|subs|abon|envoy|enviar|correo|bolet|reklam|рассыл)`,
  "(consent|permission|einwilligung|consentement|consenso|zgod\\p{L}*).*(end|expir|withdr|revok|ablauf|retir|revoc)",
)

/** The same, but only where the values answer yes or no, or are dates. */
export const PERHAPS_AGAINST = anyOf(
  ...AWAY,
  ...NEVER,
  `\\bclean\\b|${NEGATION} (confirm|verif|activ|bestätig|aktiv)`,
)

/** Headers under which a yes is a yes to mail. */
export const FOR = anyOf(
  "subscri|\\bopt(ed|s)? ?in\\b|\\boptin|consent|accepts? (e ?mail )?marketing|mailable|gdpr|dsgvo|rgpd",
  "abonn|abonné|einwillig|zustimm|inscri|inscription|suscri|iscri|assinant|toestemming|ingeschreven|zgod|subskr|подпис|соглас",
  "souhlas|abone|購読|同意|配信|订阅|구독|수신",
)

/** The same, but only where the values answer. */
export const PERHAPS_FOR = anyOf(
  "newsletter|\\bnews\\b|\\be ?mail\\b|\\bmail\\b|\\bcontact\\b|kontakt|\\bsub\\b|marketing|mailing|permission|promo|accept|agree|allow|receive|\\bwants?\\b|sendable|\\babo\\b|enabled|\\bactive\\b|confirm|verified",
  "werbung|erlaub|akzept|aktiv|bestätig|publici|acept|accett|aceit|actif|activo|attivo|boletín|boletin|infolettre|nieuwsbrief",
  "biuletyn|рассыл|reklam|メルマガ|ニュースレター",
)

/** Such a column has the means to leave or to confirm, and not who did. */
export const TOKEN = /(^| )(tokens?|hash|keys?|urls?|links?|uuid|guid)( |$)/

/** What a column with such a word tells of is how consent came about, or a paid plan. */
export const ABOUT_OTHERS =
  /(^| )(tokens?|hash|keys?|uuid|guid|ids?|plans?|tiers?|stripe|price|amount|source|url|link|ip|campaign|interval|currency|paid|premium|order|product|billing|payment|counts?|number|clicks?|clicked|opens?|opened|sent|delivered|rate|score|forms?|country|time ?zone|text|version|language|type|method|channel)( |$)/

/** Names, places and languages: `NO` is Norway, and `NE` is Nebraska. */
export const ABOUT_PERSON =
  /(^| )(ids?|names?|owner|province|region|city|street|zip|postcode|country|locale|lang|language|domain|mailing state|(mailing|promo) code|vorname|nachname|ort|plz|land|bundesland|sprache|nom|prénom|ville|pays|langue|nombre|apellidos?|ciudad|provincia|país|idioma)( |$)/

/** Consent to something that is no email. */
export const OTHER_CHANNEL =
  /(^| )(sms|mms|mobile|phone|telefon|téléphone|teléfono|tel|calls?|whats ?app|push|postal|post|fax|messenger)( |$)/
export const EMAIL_CHANNEL = /e ?mail|newsletter/

const STATUS_WORD =
  "status|statut|estado|stato|stan|state|zustand|статус|situação|situacao|durum|tila|状态|状態|ステータス|상태"
export const STATUS = new RegExp(`(^| )(${STATUS_WORD})( |$)`)
/** A status of nothing but the subscription. A "state" alone may be one of a country. */
export const isBareStatus = (header: string): boolean =>
  STATUS.test(header) && !/^(state|estado|stato|stan)$/.test(header) && STATUS_OF_MAIL.test(header)
const STATUS_OF_MAIL = new RegExp(
  `^((${STATUS_WORD}|e|e?mail|subscri\\p{L}+|members?|membership|contacts?|kontakt|list|current|marketing|newsletter|user)( |$))+$`,
  "u",
)

/** Columns with several words in a cell. */
export const LISTS =
  /(^| )(tags?|labels?|groups?|gruppen?|segments?|lists?|listen?|etiquetas?|étiquettes?)( |$)/
