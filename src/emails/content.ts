import { load, type Stored, store } from "../db/overflow.ts"
import type { Env } from "../env.ts"
import { gzip } from "../lib/gzip.ts"
import type { Attachment, SendInput } from "./send-input.ts"

const LARGE_FILES_CHARACTERS = 64 * 1024
const LARGE_TEXT_CHARACTERS = 512 * 1024

/** The body of an email. It is stored apart from the record and purged earlier. */
export interface EmailContent {
  html: string | null
  text: string | null
  headers: Record<string, string>
  attachments: Attachment[]
}

/** The time of gzip grows with the bytes that it writes. A hundred emails of usual size write less. */
const MAX_GZIPPED_BYTES = 2 * 1024 * 1024

/** Texts as JSON. Writing them may take a third of a call's time, so it is done once. */
export interface WrittenTexts {
  html: Buffer | undefined
  text: Buffer | undefined
}

export const writeTexts = ({ html, text }: Pick<SendInput, "html" | "text">): WrittenTexts => ({
  html: html === undefined ? undefined : Buffer.from(JSON.stringify(html)),
  text: text === undefined ? undefined : Buffer.from(JSON.stringify(text)),
})

/** The contents of a call. Large ones, and those beyond the limit, are only wrapped. */
export function gzipContents(
  contents: readonly { content: EmailContent; texts?: WrittenTexts | undefined }[],
): Buffer[] {
  let gzippedBytes = 0
  return contents.map(({ content, texts }) => {
    const isWrapped = isLarge(content) || gzippedBytes > MAX_GZIPPED_BYTES
    const gzipped = gzip(
      texts ? joinContent(content, texts) : JSON.stringify(content),
      isWrapped ? 0 : 1,
    )
    if (!isWrapped) gzippedBytes += gzipped.length
    return gzipped
  })
}

export const gzipContent = (content: EmailContent) => gzip(JSON.stringify(content))

function joinContent({ headers, attachments }: EmailContent, { html, text }: WrittenTexts): Buffer {
  const none = Buffer.from("null")
  const rest = JSON.stringify({ headers, attachments })
  return Buffer.concat([
    Buffer.from('{"html":'),
    html ?? none,
    Buffer.from(',"text":'),
    text ?? none,
    Buffer.from(`,${rest.slice(1)}`),
  ])
}

/** Files are mostly compressed already. */
const isLarge = ({ html, text, attachments }: EmailContent) =>
  (html?.length ?? 0) + (text?.length ?? 0) > LARGE_TEXT_CHARACTERS ||
  attachments.reduce((sum, { content }) => sum + content.length, 0) > LARGE_FILES_CHARACTERS

export const storeContent = (env: Env, emailId: string, gzipped: Buffer) =>
  store(env, gzipped, `content/${emailId}`)

/** Null if the content is purged. */
export async function loadContent(
  env: Env,
  stored: Stored | undefined,
): Promise<EmailContent | null> {
  const bytes = stored ? await load(env, stored) : null
  return bytes && (JSON.parse(bytes.toString("utf8")) as EmailContent)
}
