import * as z from "zod"
import type { EmailRef } from "../emails/queue.ts"
import type { Settings } from "../env.ts"
import { readToken, signToken } from "../lib/token.ts"

export const OPEN_PATH = "/t/o/"
export const CLICK_PATH = "/t/c/"

/** Mail programs and proxies cut longer links, and a wrapped one is longer by a third. */
const MAX_URL_LENGTH = 2_048

/** What may be wrapped, and what a wrapped link may lead to. */
export const trackableUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))

const openPayload = z.object({ teamId: z.string(), emailId: z.string() })
const clickPayload = openPayload.extend({ url: trackableUrl })

/** Where the pixel of an email is: the token names the email, and only we can make it. */
export const openUrl = (settings: Settings, { teamId, emailId }: EmailRef) =>
  under(settings, OPEN_PATH) + signToken(settings.SIGNING_KEY, "open", { teamId, emailId })

/** A link that leads to `url` and says that it was followed. */
export const clickUrl = (settings: Settings, { teamId, emailId }: EmailRef, url: string) =>
  under(settings, CLICK_PATH) + signToken(settings.SIGNING_KEY, "click", { teamId, emailId, url })

/** The email of a pixel; null when the token is none of ours. */
export const readOpen = ({ SIGNING_KEY }: Settings, token: string) =>
  openPayload.safeParse(readToken(SIGNING_KEY, "open", token)).data ?? null

/** The email and the url of a link; null when the token is none of ours. */
export const readClick = ({ SIGNING_KEY }: Settings, token: string) =>
  clickPayload.safeParse(readToken(SIGNING_KEY, "click", token)).data ?? null

/** An absolute address of this installation. */
export const under = ({ BASE_URL }: Settings, path: string) => BASE_URL.replace(/\/$/, "") + path
