import { CONTROL_CHARACTERS } from "../../../lib/text.ts"
import { indexOfField, isPreferencesUrl, withoutFields } from "./merge.ts"

/** An absolute URL. A merge field may only follow the host, so all recipients get the same site. */
export function isLink(url: string): boolean {
  if (isPreferencesUrl(url)) return true
  const start = /^(?:https?:\/\/[^\s/?#\\]+(?:[/?#]|$)|mailto:)/i.exec(url)?.[0]
  const field = indexOfField(url)
  return (
    start !== undefined &&
    (field === -1 || field >= start.length) &&
    !/[\s"<>\\`]/.test(withoutFields(url)) &&
    !CONTROL_CHARACTERS.test(url) &&
    !/^mailto:$/i.test(url) &&
    URL.canParse(withoutFields(url))
  )
}

/** What may be the target of a link, and how the API reference describes it. */
export interface Links {
  isLink(url: string): boolean
  about: string
}

export const CAMPAIGN_LINKS: Links = {
  isLink,
  about:
    "`http(s)` or `mailto`; merge fields may stand behind the host. Or `{{ preferencesUrl }}` alone.",
}
