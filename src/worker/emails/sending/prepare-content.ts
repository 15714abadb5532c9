import type { Work } from "../../platform/context.ts"
import { placeOf } from "../../platform/db/databases.ts"
import { type Provider, partBytes } from "../../providers/provider.ts"
import type { EmailContent } from "../content.ts"
import type { EventData } from "../contract.ts"
import { trackHtml } from "../tracking/track-html.ts"
import type { Claimed } from "./claim.ts"
import { createTextPart } from "./text-part.ts"

export interface Prepared {
  content: EmailContent
  untracked?: EventData["untracked"]
}

/** The content as it is sent. An error here is a fault of the message. */
export async function prepareContent(
  work: Work,
  { email, tracked }: Pick<Claimed, "email" | "tracked">,
  provider: Pick<Provider, "maxBytes" | "takesUtf8Headers">,
  content: EmailContent,
): Promise<Prepared> {
  const ref = { teamId: email.teamId, emailId: email.id, ...placeOf(work.env) }
  if (content.raw) {
    const { trackRaw } = await import("../raw/track.ts")
    const { encodeHeader } = await import("../raw/encode-header.ts")
    const { raw, untracked } = await trackRaw(work.settings, ref, content.raw, tracked)
    const sent = provider.takesUtf8Headers ? raw : await encodeHeader(raw)
    return { content: { ...content, raw: sent }, untracked }
  }
  // Made from the html before tracking, so that the text has the original links.
  const part = await createTextPart(content)
  const [, listUnsubscribe] =
    Object.entries(content.headers).find(([name]) => /^list-unsubscribe$/i.test(name)) ?? []
  const { html, untracked } = content.html
    ? await trackHtml(
        work.settings,
        ref,
        content.html,
        { ...tracked, listUnsubscribe },
        part.reader,
      )
    : { html: null }
  const room = (provider.maxBytes ?? Number.POSITIVE_INFINITY) - partBytes({ ...content, html })
  return { content: { ...content, html, text: part.text(room) }, untracked }
}
