import { load, type Stored, store } from "../db/overflow.ts"
import type { Env } from "../env.ts"
import { gzip } from "../lib/gzip.ts"
import type { Attachment } from "./send-input.ts"

const LARGE_FILE_CHARACTERS = 64 * 1024

/** The body of an email. It is stored apart from the record and purged earlier. */
export interface EmailContent {
  html: string | null
  text: string | null
  headers: Record<string, string>
  attachments: Attachment[]
}

/** Most files are compressed already: compressing them again takes most of a large call's time. */
export const gzipContent = (content: EmailContent) =>
  gzip(JSON.stringify(content), hasLargeFiles(content) ? 0 : 1)

const hasLargeFiles = ({ attachments }: EmailContent) =>
  attachments.some(({ content }) => content.length > LARGE_FILE_CHARACTERS)

export const storeContent = (env: Env, emailId: string, gzipped: Buffer) =>
  store(env, gzipped, `content/${emailId}`)

/** Null when it has been purged. */
export async function loadContent(
  env: Env,
  stored: Stored | undefined,
): Promise<EmailContent | null> {
  const bytes = stored ? await load(env, stored) : null
  return bytes && (JSON.parse(bytes.toString("utf8")) as EmailContent)
}
