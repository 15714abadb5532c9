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
export function showMail(page: Document, html: string, dark: boolean) {
  const template = document.createElement("template")
  template.innerHTML = html
    .replace(OUTER, "<$1x-$2")
    .replace(TAG, (tag) => tag.replace(/\sstyle\s*=/gi, ` ${STYLE}=`))
  const mail = template.content
  const sheets = [...mail.querySelectorAll("style")].map((style) => style.textContent ?? "")
  for (const element of mail.querySelectorAll(UNWANTED)) element.remove()
  for (const image of mail.querySelectorAll("[src], [srcset], [background]")) holdBack(image)
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
    ...sheets.map((css) => asChosen(css, dark)),
    ...(dark && !HAS_DARK.test(html) ? [DARK] : []),
  ].map((css) => {
    const sheet = new (page.defaultView as Window & typeof globalThis).CSSStyleSheet()
    sheet.replaceSync(css)
    return sheet
  })
}

function holdBack(element: Element) {
  element.removeAttribute("srcset")
  element.removeAttribute("background")
  if (!canShowImage(element.getAttribute("src") ?? "")) element.removeAttribute("src")
}
