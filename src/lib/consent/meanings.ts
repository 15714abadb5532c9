/** What a value of a column says of a person. `skip` leaves the person out. */
export const CONSENT_MEANINGS = [
  "subscribed",
  "unsubscribed",
  "bounced",
  "complained",
  "skip",
] as const
export type ConsentMeaning = (typeof CONSENT_MEANINGS)[number]
