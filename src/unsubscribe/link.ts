import type { Settings } from "../env.ts"
import { readToken, signToken } from "../lib/token.ts"

const PURPOSE = "unsubscribe"

/** Whom an unsubscribe link speaks for; the database is not asked for it. */
export interface Subscriber {
  teamId: string
  email: string
  /** The campaign's email that carried the link. */
  emailId?: string
}

type LinkSettings = Pick<Settings, "SIGNING_KEY" | "BASE_URL">

export const unsubscribeUrl = (settings: LinkSettings, subscriber: Subscriber): string =>
  new URL(`/unsubscribe/${signToken(settings.SIGNING_KEY, PURPOSE, subscriber)}`, settings.BASE_URL)
    .href

/** What RFC 8058 wants of mail that may be unsubscribed with one click. */
export const unsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": `<${url}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
})

/** Null when the link is none of ours. */
export const readSubscriber = (settings: LinkSettings, token: string) =>
  readToken(settings.SIGNING_KEY, PURPOSE, token) as Subscriber | null
