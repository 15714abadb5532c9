import type { ReactNode } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { htmlToText } from "../lib/html-text.ts"
import { setReactRenderer } from "./react-body.ts"

const DOCTYPE = "<!DOCTYPE html>"

/** Imported for its effect: from now on `emails.send({ react: <Welcome />, … })` renders the element. */
setReactRenderer((element) => {
  const html = DOCTYPE + renderToStaticMarkup(element as ReactNode)
  return { html, text: htmlToText(html) }
})
