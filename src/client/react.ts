import type { ReactNode } from "react"
import * as server from "react-dom/server"
import { htmlToText } from "../lib/html-text.ts"
import { setReactRenderer } from "./email-input.ts"
import { EdgepostError } from "./error.ts"

const DOCTYPE = "<!DOCTYPE html>"

/** Comments that only hydration needs. */
const MARKERS = /<!--(?: |\/?\$)-->/g

/** After the import, `emails.send({ react: <Welcome />, … })` renders the element. */
setReactRenderer(async (element) => {
  const markup = await toMarkup(element as ReactNode)
  if (markup === "") throw rendersNothing()
  const html = DOCTYPE + markup
  return { html, text: htmlToText(html) }
})

const rendersNothing = () =>
  new EdgepostError({
    code: "configuration",
    message: "`react` renders nothing. It takes an element, `<Welcome />`, not its component.",
  })

/** Also renders components that suspend, such as Tailwind of react-email. React 18 cannot do this in Node. */
async function toMarkup(element: ReactNode): Promise<string> {
  if (!server.renderToReadableStream) return server.renderToStaticMarkup(element)
  const errors: unknown[] = []
  const stream = await server.renderToReadableStream(element, {
    onError: (error) => void errors.push(error),
    // With a smaller size, React adds a script that moves large parts into place.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
  })
  await stream.allReady
  if (errors.length > 0) throw errors[0]
  const html = await new Response(stream).text()
  return html.replace(DOCTYPE, "").replace(MARKERS, "")
}
