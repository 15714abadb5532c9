import { readToken, signToken } from "../../../lib/token.ts"
import type { Settings } from "../../platform/env.ts"

/** The pages of a recipient. A link is signed for one of them. */
type RecipientPage = "unsubscribe" | "preferences"

/** The content of a link. Reading it needs no database. */
export interface Subscriber {
  teamId: string
  email: string
  /** The campaign's book. */
  bookId: string
  /** The campaign's email that carried the link. */
  emailId?: string
  /** The contact of that email. Absent in links of earlier versions. */
  contactId?: string
  /** The number of the team's database. Absent for the directory. */
  database?: number
}

type LinkSettings = Pick<Settings, "SIGNING_KEY" | "BASE_URL">

const linkTo =
  (page: RecipientPage) =>
  (settings: LinkSettings, subscriber: Subscriber): string =>
    new URL(`/${page}/${signToken(settings.SIGNING_KEY, page, subscriber)}`, settings.BASE_URL).href

export const unsubscribeUrl = linkTo("unsubscribe")
export const preferencesUrl = linkTo("preferences")

/** The content of the link that confirms. */
export interface ConfirmationLink {
  teamId: string
  bookId: string
  contactId: string
  /** The confirmation that the mail asked for. */
  id: string
  email: string
  database?: number
}

export const confirmUrl = (settings: LinkSettings, link: ConfirmationLink): string =>
  new URL(`/confirm/${signToken(settings.SIGNING_KEY, "confirm", link)}`, settings.BASE_URL).href

/** Null for a link with a wrong signature. */
export const readConfirmationLink = (settings: LinkSettings, token: string) =>
  readToken(settings.SIGNING_KEY, "confirm", token) as ConfirmationLink | null

/** RFC 8058: one-click unsubscribe. Mail to the address does the same. */
export const unsubscribeHeaders = (url: string, address?: string) => ({
  "List-Unsubscribe": `<${url}>${address ? `, <mailto:${address}>` : ""}`,
  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
})

/** Null for a link with a wrong signature. */
export const readSubscriber = (settings: LinkSettings, page: RecipientPage, token: string) =>
  readToken(settings.SIGNING_KEY, page, token) as Subscriber | null
