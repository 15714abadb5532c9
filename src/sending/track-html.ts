import type { Settings } from "../env.ts"
import type { Attribute, HtmlReader } from "../lib/html-tokens.ts"
import type { EmailRef } from "../queues/messages.ts"
import { clickUrl, isTrackable, openUrl, under } from "../tracking/links.ts"

export interface Tracked {
  opens: boolean
  clicks: boolean
}

interface TrackedHtml {
  html: string
  /** Why its links are unchanged. */
  untracked?: "too_many_links"
}

/** A message over one of these limits keeps its links unchanged. */
const MAX_LINKS = 2_000
const MAX_ADDED_BYTES = 1024 * 1024

const HREF = new Set(["href"])
const NONE: ReadonlySet<string> = new Set()

/** Adds the pixel that reports opens and the links that report clicks. */
export async function trackHtml(
  settings: Settings,
  email: EmailRef,
  html: string,
  { opens, clicks }: Tracked,
): Promise<TrackedHtml> {
  if (!opens && !clicks) return { html }
  const { readHtml } = await import("../lib/html-tokens.ts")
  const links = openLinks(settings, email, html)
  let bodyEnd: number | null = null
  const reader: HtmlReader = {
    attributes: clicks ? HREF : NONE,
    open(tag, attributes) {
      const href = attributes.get("href")
      if (tag === "a" && href) links.wrap(href)
      if (links.areTooMany()) reader.attributes = NONE
    },
    close(tag, at) {
      if (tag === "body") bodyEnd ??= at
    },
  }
  readHtml(html, reader)
  const end = bodyEnd ?? html.length
  const pixel = opens ? `<img src="${openUrl(settings, email)}" ${PIXEL_ATTRIBUTES}>` : ""
  const untracked = links.areTooMany()
  const edits = [...(untracked ? [] : links.edits), { from: end, to: end, by: pixel }]
  return { html: edited(html, edits), ...(untracked && { untracked: "too_many_links" }) }
}

const PIXEL_ATTRIBUTES = 'width="1" height="1" alt="" style="display:block;border:0"'

interface Edit {
  from: number
  to: number
  by: string
}

/** Collects the edits that wrap the links, and stops once there are too many. */
function openLinks(settings: Settings, email: EmailRef, html: string) {
  const unsubscribe = under(settings, "/unsubscribe/")
  const edits: Edit[] = []
  let added = 0
  const areTooMany = () => edits.length > MAX_LINKS || added > MAX_ADDED_BYTES
  return {
    edits,
    areTooMany,
    wrap({ value, from, to }: Attribute) {
      const url = value.trim()
      if (areTooMany() || !isTrackable(url) || url.startsWith(unsubscribe)) return
      const by = `="${clickUrl(settings, email, url)}"`
      edits.push({ from, to, by })
      added += by.length - Buffer.byteLength(html.slice(from, to))
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
