import { html, raw } from "hono/html"
import { contrast, READABLE, toLook } from "../../campaigns/blocks/look.ts"
import type { Brand } from "../../teams/brand-contract.ts"
import type { Sender } from "../../teams/contract.ts"

/** A page for recipients. Works without script, and asks no other host but for the logo of a brand. */
export const publicPage = (
  language: string,
  heading: string,
  content: unknown,
  sender?: Sender,
  brand?: Brand | null,
) => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${heading}</title>
<style>${raw(STYLE + brandStyle(brand))}</style>
</head>
<body>
${brand?.logoUrl ? html`<img class="logo" src="${brand.logoUrl}" alt="${sender?.name ?? ""}">` : ""}
<main>
<h1 dir="auto">${heading}</h1>
${content}
</main>
${brand?.footerText ? html`<p class="note" translate="no" dir="auto">${brand.footerText}</p>` : ""}
${sender ? footer(sender) : ""}
</body>
</html>`

const footer = ({ name, postalAddress }: Sender) =>
  html`<footer translate="no" dir="auto">${[name, postalAddress].filter(Boolean).join("\n")}</footer>`

/** A brand with colors looks the same on dark screens. */
function brandStyle(brand: Brand | null | undefined): string {
  if (!brand) return ""
  const look = toLook(brand)
  const font = `body{font-family:${look.fontFamily}}`
  if (look.hasDarkColors) return font
  return `${font}
:root{color-scheme:light only;--page:${look.pageBackground};--card:${look.cardBackground};--text:${readable(look.textColor, look.cardBackground)};--on-page:${readable(look.textColor, look.pageBackground)};--accent:${look.linkColor};--on-accent:${readable("#ffffff", look.linkColor)};--link:${readable(look.linkColor, look.cardBackground)}}`
}

/** The color, or else black or white, whichever can be read there. */
function readable(color: string, background: string): string {
  const tried = [color, "#ffffff", "#000000"]
  return tried.find((one) => contrast(one, background) >= READABLE) ?? color
}

const STYLE = `
:root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--text:#1f2328;--accent:#0b57d0;--on-accent:#fff}
@media (prefers-color-scheme:dark){:root{--page:#111418;--card:#1c2126;--text:#e6e9ec;--accent:#a8c7fa;--on-accent:#062e6f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-content:center;justify-items:center;grid-template-columns:minmax(0,27rem);gap:1rem;padding:1rem;background:var(--page);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif}
main{width:100%;padding:2rem 1.5rem;border-radius:1rem;background:var(--card);text-align:center;overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
.address{font-weight:600}
footer,.note{margin:0;color:var(--on-page,var(--text));width:100%;font-size:.875rem;text-align:center;white-space:pre-line;overflow-wrap:anywhere}
label{display:flex;gap:.75rem;align-items:baseline;margin:0 0 1.25rem;text-align:start}
label input{flex:none;width:1.125rem;height:1.125rem;accent-color:var(--accent)}
button{width:100%;min-height:3rem;padding:.75rem 1rem;border:0;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
fieldset{margin:0 0 1.5rem;padding:0;border:0;text-align:start}
legend{margin:0 0 .75rem;padding:0;font-weight:600}
fieldset label{margin:0 0 .75rem}
label span{min-width:0}
small{display:block;font-size:.875rem;opacity:.8}
.status{padding:.75rem 1rem;border:1px solid var(--accent);border-radius:.5rem;font-weight:600}
a{color:var(--link,var(--accent))}
.more{margin-top:1rem}
.second{margin-top:.75rem;border:1px solid currentcolor;background:transparent;color:inherit}
.logo{max-width:12rem;max-height:5rem}
.wording{text-align:start;white-space:pre-line}
.field{display:block}
.field input,.field select{display:block;width:100%;min-height:3rem;margin-top:.25rem;padding:.5rem .75rem;border:1px solid var(--text);border-radius:.5rem;background:transparent;color:inherit;font:inherit}
.field select option{background:var(--card);color:var(--text)}
.wrong{display:block;font-weight:600}
.trap{position:absolute;left:-100vw;width:1px;height:1px;overflow:hidden}
input:focus-visible,select:focus-visible,button:focus-visible{outline:3px solid var(--text);outline-offset:3px}
`
