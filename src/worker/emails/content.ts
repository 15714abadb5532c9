import type { Ctx } from "../platform/context.ts"
import { load, objectKeyOf, type Packed, type Stored, store } from "../platform/db/overflow.ts"
import { readContent } from "../platform/db/packed-content.ts"
import type { Env } from "../platform/env.ts"
import { type PackedEmail, readMember } from "./packs/pack.ts"
import type { Attachment } from "./send-input.ts"

/** The body of an email. It is stored apart from the record and purged earlier. */
export interface EmailContent {
  html: string | null
  text: string | null
  headers: Record<string, string>
  /** The sender's own `Message-ID`. */
  messageId?: string | undefined
  attachments: Attachment[]
  /** The whole message, where it came so: the members above are empty then. */
  raw?: Buffer | undefined
}

/** The content of an email that is stored as a whole message. */
export const NO_PARTS = { html: null, text: null, headers: {}, attachments: [] }

/** Large content goes to R2 before its row is stored, so the key of the caller is checked first. */
export const storeContent = (ctx: Pick<Ctx, "env" | "caller">, emailId: string, packed: Packed) =>
  store(ctx.env, packed, async () => {
    const { team } = await ctx.caller()
    return objectKeyOf("content", team.id, emailId)
  })

/** Null if the content is purged. The content of an email without a row of its own is in a pack. */
export async function loadContent(
  env: Env,
  stored: Stored | undefined,
  packed?: PackedEmail,
): Promise<EmailContent | null> {
  const bytes = stored ? await load(env, stored) : packed ? await readMember(env, packed) : null
  return bytes && readContent(bytes)
}
