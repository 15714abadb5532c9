import type { EmailRef } from "../emails/queue.ts"
import type { Settings } from "../env.ts"
import { clickUrl, openUrl, trackableUrl, under } from "./links.ts"

export interface Tracked {
  opens: boolean
  clicks: boolean
}

/** The HTML of an email with the pixel and the links that tell of opens and clicks. */
export async function trackHtml(
  settings: Settings,
  email: EmailRef,
  html: string,
  { opens, clicks }: Tracked,
): Promise<string> {
  if (!opens && !clicks) return html
  const rewriter = new HTMLRewriter()
  if (clicks) await wrapLinks(rewriter, settings, email)
  if (opens) placePixel(rewriter, `<img src="${openUrl(settings, email)}" ${PIXEL_ATTRIBUTES}>`)
  try {
    return await rewriter.transform(new Response(html)).text()
  } catch (error) {
    // The parser refuses markup of which it cannot tell what is text: that goes out as it is.
    if (error instanceof TypeError && error.message.startsWith("Parser error")) return html
    throw error
  }
}

const PIXEL_ATTRIBUTES = 'width="1" height="1" alt="" style="display:block;border:0"'

async function wrapLinks(rewriter: HTMLRewriter, settings: Settings, email: EmailRef) {
  const { decodeHTMLAttribute } = await import("entities/decode")
  const unsubscribe = under(settings, "/unsubscribe/")
  rewriter.on("a[href]", {
    element(link) {
      const url = decodeHTMLAttribute(link.getAttribute("href") ?? "").trim()
      if (trackableUrl.safeParse(url).success && !url.startsWith(unsubscribe)) {
        link.setAttribute("href", clickUrl(settings, email, url))
      }
    },
  })
}

/** Last in the body; at the end where no tag closes it. */
function placePixel(rewriter: HTMLRewriter, pixel: string) {
  let isPlaced = false
  rewriter.on("body", {
    element(body) {
      body.onEndTag((tag) => {
        if (!isPlaced) tag.before(pixel, { html: true })
        isPlaced = true
      })
    },
  })
  rewriter.onDocument({
    end(document) {
      if (!isPlaced) document.append(pixel, { html: true })
    },
  })
}
