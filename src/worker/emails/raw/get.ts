import type { Ctx } from "../../platform/context.ts"
import { notFound } from "../../platform/http/errors.ts"
import { createProvider } from "../../providers/create-provider.ts"
import { composeMime } from "../../providers/mime.ts"
import { readContent } from "../content/content.ts"
import { toMessage } from "../sending/message.ts"
import { prepareContent } from "../sending/prepare-content.ts"

/** The message is made again, of the same bytes: its content, its date and its links are known. */
export async function getRawEmail(ctx: Ctx, id: string): Promise<Response> {
  const { email, content, tracked } = await readContent(ctx, id)
  if (email.sentAt === null) throw notFound("Message")
  const provider = createProvider(ctx, { bulk: email.campaignId !== null })
  const prepared = await prepareContent(ctx, { email, tracked }, provider, content)
  const message = await composeMime(toMessage(email, prepared.content), email.sentAt)
  return new Response(message, { headers: { "content-type": "message/rfc822" } })
}
