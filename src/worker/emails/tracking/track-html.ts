import type { Attribute, HtmlReader } from "../../../lib/html-tokens.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import type { Settings } from "../../platform/env.ts"
import type { EmailRef } from "../messages.ts"
import { clickUrl, isTrackable, openUrl, under } from "./links.ts"

export interface Tracked {
  opens: boolean
  clicks: boolean
  /** The header of the email. Its links are not wrapped. */
  listUnsubscribe?: string | undefined
  /** The html has a character for each byte of a charset. */
  bytes?: {
    decode(text: string): string
    /** Its lines have a limited length. */
    isInLines: boolean
  }
}

interface TrackedHtml {
  html: string
  /** Why its links are unchanged. */
  untracked?: "too_many_links"
}

/** A message over one of these limits keeps its links unchanged. */
const MAX_LINKS = 2_000
/** To sign this many takes some twenty milliseconds. */
const LINKS_A_TURN = 500
const MAX_ADDED_BYTES = 1024 * 1024
/** In a line of 998 octets. A link that becomes longer stays as it is. */
const MAX_LINE_URL = 990

const HREF = new Set(["href"])
const NONE: ReadonlySet<string> = new Set()

/**
 * Adds the pixel that reports opens and the links that report clicks. `beside` reads the html in the
 * same pass.
 */
export async function trackHtml(
  settings: Settings,
  email: EmailRef,
  html: string,
  { opens, clicks, listUnsubscribe = "", bytes }: Tracked,
  beside?: Required<HtmlReader>,
): Promise<TrackedHtml> {
  const { both, readHtmlInTurns } = await import("../../../lib/html-tokens.ts")
  if (!opens && !clicks) {
    if (beside) await readHtmlInTurns(html, beside)
    return { html }
  }
  const links = createLinkTracker(settings, email, html, { listUnsubscribe, bytes })
  let bodyEnd: number | null = null
  const reader: Required<Omit<HtmlReader, "text">> = {
    attributes: clicks ? HREF : NONE,
    open(tag, attributes) {
      const href = clicks && tag === "a" && attributes.get("href")
      if (href) links.add(href)
      if (links.areTooMany()) reader.attributes = NONE
    },
    close(tag, at) {
      if (tag === "body") bodyEnd ??= at
    },
  }
  await readHtmlInTurns(html, beside ? both(beside, reader) : reader)
  const end = bodyEnd ?? html.length
  const lineEnd = bytes?.isInLines ? "\r\n" : ""
  const image = `<img src="${openUrl(settings, email)}" ${PIXEL_ATTRIBUTES}>`
  const pixel = opens ? lineEnd + image + lineEnd : ""
  const wrapped = await links.wrap()
  const edits = [...(wrapped ?? []), { from: end, to: end, by: pixel }]
  return { html: edited(html, edits), ...(!wrapped && { untracked: "too_many_links" }) }
}

const PIXEL_ATTRIBUTES = 'width="1" height="1" alt="" style="display:block;border:0"'

/** Our own links of a recipient. */
const OWN_LINKS = ["/unsubscribe/", "/preferences/"]

interface Edit {
  from: number
  to: number
  by: string
}

/** Collects the links, and stops once there are too many. Signing each takes time, so that is later. */
function createLinkTracker(
  settings: Settings,
  email: EmailRef,
  html: string,
  { listUnsubscribe, bytes }: { listUnsubscribe: string; bytes: Tracked["bytes"] },
) {
  const own = OWN_LINKS.map((path) => under(settings, path))
  const unsubscribing = new Set(listUnsubscribe.match(/<[^<>]+>/g))
  const isOwn = (url: string) =>
    own.some((start) => url.startsWith(start)) || unsubscribing.has(`<${url}>`)
  const found: Attribute[] = []
  const areTooMany = () => found.length > MAX_LINKS
  return {
    areTooMany,
    add(href: Attribute) {
      const value = href.value.trim()
      const isBeyondAscii = bytes && /[^\0-\x7f]/.test(html.slice(href.from, href.to))
      const url = isBeyondAscii ? bytes.decode(value) : value
      if (areTooMany() || !isTrackable(url) || isOwn(url)) return
      found.push({ ...href, value: url })
    },
    /** The edits that wrap the links; null if they are over a limit. */
    async wrap(): Promise<Edit[] | null> {
      if (areTooMany()) return null
      let added = 0
      const edits: Edit[] = []
      for (const [index, { value, from, to }] of found.entries()) {
        if (index % LINKS_A_TURN === LINKS_A_TURN - 1) await nextTurn()
        const url = clickUrl(settings, email, value)
        if (bytes?.isInLines && url.length > MAX_LINE_URL) continue
        const by = bytes?.isInLines ? `=\r\n"${url}"\r\n` : `="${url}"`
        added += by.length - Buffer.byteLength(html.slice(from, to))
        if (added > MAX_ADDED_BYTES) return null
        edits.push({ from, to, by })
      }
      return edits
    },
  }
}

function edited(html: string, edits: Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to, by } of edits.toSorted((a, b) => a.from - b.from)) {
    parts.push(html.slice(at, from), by)
    at = to
  }
  return parts.join("") + html.slice(at)
}
