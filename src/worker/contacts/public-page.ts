import { html, raw } from "hono/html"
import type { Sender } from "../teams/contract.ts"

/** A page for recipients. Works without script, and asks no other host. */
export const publicPage = (
  language: string,
  heading: string,
  content: unknown,
  sender?: Sender,
) => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${heading}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
${sender ? footer(sender) : ""}
</body>
</html>`

const footer = ({ name, postalAddress }: Sender) =>
  html`<footer translate="no">${[name, postalAddress].filter(Boolean).join("\n")}</footer>`

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
footer{width:100%;font-size:.875rem;text-align:center;white-space:pre-line;overflow-wrap:anywhere}
label{display:flex;gap:.75rem;align-items:baseline;margin:0 0 1.25rem;text-align:start}
label input{flex:none;width:1.125rem;height:1.125rem;accent-color:var(--accent)}
button{width:100%;min-height:3rem;padding:.75rem 1rem;border:0;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
fieldset{margin:0 0 1.5rem;padding:0;border:0;text-align:start}
legend{margin:0 0 .75rem;padding:0;font-weight:600}
fieldset label{margin:0 0 .75rem}
label span{min-width:0}
small{display:block;font-size:.875rem;opacity:.8}
.status{padding:.75rem 1rem;border:1px solid var(--accent);border-radius:.5rem;font-weight:600}
a{color:var(--accent)}
.more{margin-top:1rem}
.second{margin-top:.75rem;border:1px solid currentcolor;background:transparent;color:inherit}
button:focus-visible{outline:3px solid var(--text);outline-offset:3px}
`
