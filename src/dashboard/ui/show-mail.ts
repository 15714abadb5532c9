import { canShowImage } from "./own-image.ts"

/** Mail clients with a dark mode of their own turn light mail dark in much the same way. */
const DARK = "html, img { filter: invert(1) hue-rotate(180deg) }"

/** Nothing of another host is loaded. A client that holds images back shows their text, too. */
const HELD_BACK =
  "img:not([src]) { outline: 1px dashed currentColor; min-width: 8px; min-height: 8px }"

/** The message's own dark form follows the choice in the preview, not this browser's setting. */
const ASKS_FOR_DARK = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi
const asChosen = (css: string, dark: boolean) =>
  css.replace(ASKS_FOR_DARK, dark ? "(min-width: 0)" : "(max-width: 0)")

/** A message with a dark form of its own is not turned dark by mail clients. */
const HAS_DARK = /<meta name="color-scheme" content="[^"]*dark/i

const UNWANTED = "x-head, title, style, script, link, meta, base, iframe, object, embed"

/** How mail programs mark what they quote. */
const QUOTES =
  ".gmail_quote, .gmail_quote_container, .moz-cite-prefix, .yahoo_quoted, .protonmail_quote, blockquote[type=cite], #appendonsend, #appendonsend ~ *, #divRplyFwdMsg, #divRplyFwdMsg ~ *"

export const hasQuote = (html: string) =>
  /gmail_quote|moz-cite-prefix|yahoo_quoted|protonmail_quote|type=["']?cite|divRplyFwdMsg/i.test(
    html,
  )

export const hasRemoteImage = (html: string) =>
  /<img[^>]+src\s*=\s*["']?https?:|url\(\s*["']?https?:/i.test(html)

const isRemote = (url: string) => /^https?:/i.test(url)

/** For mail without a look of its own. */
const PLAIN = "html { font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }"

/** How mail is shown that anybody may have written. */
export interface Strangers {
  /** Remote images tell the sender that the mail was opened. */
  showsImages: boolean
  foldsQuotes: boolean
}

const OUTER = /<(\/?)(html|head|body)(?=[\s/>])/gi
const TAG = /<[a-z][^<>]*>/gi
const STYLE = "data-style"

/**
 * Shows a message in the document of a sandboxed frame. The frame inherits the dashboard's content
 * security policy, which refuses styles in markup, but not styles set by script: so the styles are
 * taken out of the markup and set through the CSSOM.
 *
 * The message is parsed in a template. There a parser drops a message's own `body`, so the three
 * outer elements get other names, and so does the attribute that the policy refuses.
 */
export function showMail(
  page: Document,
  html: string,
  { dark = false, strangers }: { dark?: boolean; strangers?: Strangers | undefined } = {},
) {
  const template = document.createElement("template")
  template.innerHTML = html
    .replace(OUTER, "<$1x-$2")
    .replace(TAG, (tag) => tag.replace(/\sstyle\s*=/gi, ` ${STYLE}=`))
  const mail = template.content
  const sheets = [...mail.querySelectorAll("style")].map((style) => style.textContent ?? "")
  for (const element of mail.querySelectorAll(UNWANTED)) element.remove()
  if (strangers?.foldsQuotes) for (const part of mail.querySelectorAll(QUOTES)) part.remove()
  if (strangers) for (const link of mail.querySelectorAll("[href]")) openOutside(link)
  for (const image of mail.querySelectorAll("[src], [srcset], [background]"))
    holdBack(image, strangers?.showsImages)
  const styled = [...mail.querySelectorAll<HTMLElement>(`[${STYLE}]`)]
  const body = mail.querySelector("x-body")
  page.body.replaceChildren(page.adoptNode(mail))
  for (const { name, value } of body?.attributes ?? []) page.body.setAttribute(name, value)
  for (const element of styled) {
    const target = element === body ? page.body : element
    target.style.cssText = element.getAttribute(STYLE) ?? ""
  }
  page.adoptedStyleSheets = [
    HELD_BACK,
    ...(strangers ? [PLAIN] : []),
    ...sheets.map((css) => asChosen(css, dark)),
    ...(dark && !HAS_DARK.test(html) ? [DARK] : []),
  ].map((css) => {
    const sheet = new (page.defaultView as Window & typeof globalThis).CSSStyleSheet()
    sheet.replaceSync(css)
    return sheet
  })
}

/** Links of mail leave the frame, and tell nobody where they were. Other schemes lead nowhere. */
function openOutside(link: Element) {
  if (!/^(https?|mailto):/i.test(link.getAttribute("href") ?? "")) link.removeAttribute("href")
  link.setAttribute("target", "_blank")
  link.setAttribute("rel", "noopener noreferrer")
}

function holdBack(element: Element, showsImages = false) {
  element.removeAttribute("srcset")
  element.removeAttribute("background")
  const url = element.getAttribute("src") ?? ""
  const mayShow = canShowImage(url) || (showsImages && isRemote(url))
  if (!mayShow) element.removeAttribute("src")
}
