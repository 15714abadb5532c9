import { ID_BYTES, idFromBytes, idToBytes } from "../../../lib/id.ts"
import { readBytes, signBytes } from "../../../lib/token.ts"
import type { Settings } from "../../platform/env.ts"
import type { EmailRef } from "../messages.ts"

export const OPEN_PATH = "/t/o/"
export const CLICK_PATH = "/t/c/"

const OPEN = "open"
const CLICK = "click"

/** Mail programs and proxies cut long links, and wrapping makes a link a third longer. */
const MAX_URL_LENGTH = 2_048

/** Whether a link may be wrapped, and whether a wrapped link may lead to it. */
export const isTrackable = (url: string): boolean =>
  url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url)

interface Click extends EmailRef {
  url: string
}

/** The URL of an email's pixel. Its signed token names the email. */
export const openUrl = (settings: Settings, email: EmailRef) =>
  under(settings, OPEN_PATH) + signBytes(settings.SIGNING_KEY, OPEN, refBytes(email))

/** A link that records the click and redirects to `url`. */
export const clickUrl = (settings: Settings, email: EmailRef, url: string) =>
  under(settings, CLICK_PATH) +
  signBytes(settings.SIGNING_KEY, CLICK, Buffer.concat([refBytes(email), Buffer.from(url)]))

/** The email of a pixel; null for a token that is not ours. */
export function readOpen({ SIGNING_KEY }: Settings, token: string): EmailRef | null {
  const bytes = readBytes(SIGNING_KEY, OPEN, token)
  return bytes?.length === REF_BYTES ? refOf(bytes) : null
}

/** The email and the url of a link; null for a token that is not ours. */
export function readClick({ SIGNING_KEY }: Settings, token: string): Click | null {
  const bytes = readBytes(SIGNING_KEY, CLICK, token)
  if (!bytes || bytes.length <= REF_BYTES) return null
  const url = bytes.toString("utf8", REF_BYTES)
  return isTrackable(url) ? { ...refOf(bytes), url } : null
}

const REF_BYTES = 2 * ID_BYTES

const refBytes = ({ teamId, emailId }: EmailRef) =>
  Buffer.concat([idToBytes(teamId), idToBytes(emailId)])

const refOf = (bytes: Buffer): EmailRef => ({
  teamId: idFromBytes("team", bytes.subarray(0, ID_BYTES)),
  emailId: idFromBytes("email", bytes.subarray(ID_BYTES, REF_BYTES)),
})

/** An absolute address of this installation. */
export const under = ({ BASE_URL }: Settings, path: string) => BASE_URL.replace(/\/$/, "") + path
