import { readHtml } from "../../../lib/html-tokens.ts"

interface MisleadingLink {
  /** The host that the link's text shows. */
  shown: string
  /** The host that it leads to. */
  href: string
}

interface Inspected {
  /** Each pair of hosts once, at most five. */
  misleading: MisleadingLink[]
  imagesWithoutAlt: number
}

const ATTRIBUTES = new Set(["href", "alt"])
const MAX_LABEL_CHARACTERS = 300
const MAX_NAMED = 5
/** Later links are not compared. */
const MAX_LINKS = 10_000

export function inspectHtml(html: string): Inspected {
  const misleading = new Map<string, MisleadingLink>()
  let imagesWithoutAlt = 0
  let link: { href: string; label: string } | null = null
  let links = 0
  const endLink = () => {
    const found = link && links++ < MAX_LINKS && misleadingLink(link.label, link.href)
    link = null
    if (found && misleading.size < MAX_NAMED) {
      misleading.set(`${found.shown} ${found.href}`, found)
    }
  }
  readHtml(html, {
    attributes: ATTRIBUTES,
    open(tag, attributes) {
      if (tag === "img" && !attributes.has("alt")) imagesWithoutAlt++
      if (tag !== "a") return
      endLink()
      link = { href: attributes.get("href")?.value ?? "", label: "" }
    },
    close(tag) {
      if (tag === "a") endLink()
    },
    text(text) {
      if (link && link.label.length < MAX_LABEL_CHARACTERS) link.label += text
    },
  })
  endLink()
  return { misleading: [...misleading.values()], imagesWithoutAlt }
}

/** A text that is an address leads there, or to a host below the one that it shows. */
function misleadingLink(label: string, href: string): MisleadingLink | null {
  const shown = shownHost(label.trim())
  const leadsTo = /^\s*https?:/i.test(href) ? hostOf(href.trim()) : null
  if (!shown || !leadsTo) return null
  return leadsTo === shown || leadsTo.endsWith(`.${shown}`) ? null : { shown, href: leadsTo }
}

const URL_TEXT = /^https?:\/\/\S{1,280}$/i
const HOST_TEXT = /^[a-z0-9](?:[a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}(?:[/?#]\S{0,200})?$/i

/** Names of files and products end like hosts. */
const NO_HOST = /\.(?:js|ts|py|md|txt|pdf|html?|css|json|xml|csv|zip|png|jpe?g|gif|docx?|xlsx?)$/i

function shownHost(text: string): string | null {
  if (URL_TEXT.test(text)) return hostOf(text)
  const [host = ""] = text.split(/[/?#]/, 1)
  if (!HOST_TEXT.test(text) || NO_HOST.test(host)) return null
  return hostOf(`http://${text}`)
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).hostname.replace(/^www\./, "")
  } catch {
    return null
  }
}
