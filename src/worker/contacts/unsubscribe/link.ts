import { readToken, signToken } from "../../../lib/token.ts"
import type { Settings } from "../../platform/env.ts"

const PURPOSE = "unsubscribe"

/** The content of an unsubscribe link. Reading it needs no database. */
interface Subscriber {
  teamId: string
  email: string
  /** The campaign's book. */
  bookId: string
  /** The campaign's email that carried the link. */
  emailId?: string
}

type LinkSettings = Pick<Settings, "SIGNING_KEY" | "BASE_URL">

export const unsubscribeUrl = (settings: LinkSettings, subscriber: Subscriber): string =>
  new URL(`/unsubscribe/${signToken(settings.SIGNING_KEY, PURPOSE, subscriber)}`, settings.BASE_URL)
    .href

/** RFC 8058: one-click unsubscribe. */
export const unsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": `<${url}>`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
})

/** Null for a link with a wrong signature. */
export const readSubscriber = (settings: LinkSettings, token: string) =>
  readToken(settings.SIGNING_KEY, PURPOSE, token) as Subscriber | null
