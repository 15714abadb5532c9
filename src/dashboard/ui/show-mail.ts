/** Mail clients with a dark mode of their own turn light mail dark in much the same way. */
const DARK = "html, img { filter: invert(1) hue-rotate(180deg) }"

/**
 * Shows a message in the document of a sandboxed frame. The frame inherits the dashboard's content
 * security policy, which refuses inline styles in markup, but not styles set by script: so the
 * styles are taken out of the markup and set through the CSSOM.
 */
export function showMail(page: Document, html: string, dark: boolean) {
  const mail = new DOMParser().parseFromString(html, "text/html")
  const sheets = [...mail.querySelectorAll("style")].map((style) => style.textContent ?? "")
  for (const element of mail.querySelectorAll("style, script, link, meta, base")) element.remove()
  const styled = [...mail.querySelectorAll<HTMLElement>("[style]"), mail.body].map((element) => {
    const style = element.getAttribute("style") ?? ""
    element.removeAttribute("style")
    return { element, style }
  })
  page.body.replaceWith(page.adoptNode(mail.body))
  for (const { element, style } of styled) element.style.cssText = style
  page.adoptedStyleSheets = [...sheets, ...(dark ? [DARK] : [])].map((css) => {
    const sheet = new (page.defaultView as Window & typeof globalThis).CSSStyleSheet()
    sheet.replaceSync(css)
    return sheet
  })
}
