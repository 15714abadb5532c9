import { ID_BYTES, idFromBytes, idToBytes } from "../../../lib/id.ts"
import { readBytes, signBytes } from "../../../lib/token.ts"
import type { Settings } from "../../platform/env.ts"
import type { EmailRef } from "../messages.ts"

export const OPEN_PATH = "/t/o/"
export const CLICK_PATH = "/t/c/"

const OPEN = "open"
const CLICK = "click"
/** Tokens of other databases than the directory begin with the number of the database. */
const OPEN_ELSEWHERE = "open elsewhere"
const CLICK_ELSEWHERE = "click elsewhere"

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
  under(settings, OPEN_PATH) +
  signBytes(settings.SIGNING_KEY, email.database ? OPEN_ELSEWHERE : OPEN, refBytes(email))

/** A link that records the click and redirects to `url`. */
export const clickUrl = (settings: Settings, email: EmailRef, url: string) =>
  under(settings, CLICK_PATH) +
  signBytes(
    settings.SIGNING_KEY,
    email.database ? CLICK_ELSEWHERE : CLICK,
    Buffer.concat([refBytes(email), Buffer.from(url)]),
  )

/** The email of a pixel; null for a token that is not ours. */
export function readOpen(settings: Settings, token: string): EmailRef | null {
  const read = readRef(settings, { home: OPEN, elsewhere: OPEN_ELSEWHERE }, token)
  return read?.rest.length === 0 ? read.email : null
}

/** The email and the url of a link; null for a token that is not ours. */
export function readClick(settings: Settings, token: string): Click | null {
  const read = readRef(settings, { home: CLICK, elsewhere: CLICK_ELSEWHERE }, token)
  if (!read || read.rest.length === 0) return null
  const url = read.rest.toString("utf8")
  return isTrackable(url) ? { ...read.email, url } : null
}

const REF_BYTES = 2 * ID_BYTES
const NUMBER_BYTES = 2

function refBytes({ teamId, emailId, database }: EmailRef): Buffer {
  const number = Buffer.alloc(database ? NUMBER_BYTES : 0)
  if (database) number.writeUInt16BE(database)
  return Buffer.concat([number, idToBytes(teamId), idToBytes(emailId)])
}

function readRef(
  { SIGNING_KEY }: Settings,
  { home, elsewhere }: Record<"home" | "elsewhere", string>,
  token: string,
): { email: EmailRef; rest: Buffer } | null {
  const atHome = readBytes(SIGNING_KEY, home, token)
  if (atHome && atHome.length >= REF_BYTES) return splitRef(atHome)
  const bytes = atHome ? null : readBytes(SIGNING_KEY, elsewhere, token)
  if (!bytes || bytes.length < NUMBER_BYTES + REF_BYTES) return null
  const { email, rest } = splitRef(bytes.subarray(NUMBER_BYTES))
  return { email: { ...email, database: bytes.readUInt16BE() }, rest }
}

const splitRef = (bytes: Buffer) => ({
  email: {
    teamId: idFromBytes("team", bytes.subarray(0, ID_BYTES)),
    emailId: idFromBytes("email", bytes.subarray(ID_BYTES, REF_BYTES)),
  },
  rest: bytes.subarray(REF_BYTES),
})

/** An absolute address of this installation. */
export const under = ({ BASE_URL }: Settings, path: string) => BASE_URL.replace(/\/$/, "") + path
