import { EdgepostError } from "./error.ts"
import type { SendInput } from "./types.ts"

export interface ReactBody {
  /** A React element in place of `html` and `text`; import `edgepost/react` once. A given `html` or `text` wins. */
  react?: unknown
}

type Render = (element: unknown) => Promise<{ html: string; text: string }>

let render: Render | undefined

/** Called by `edgepost/react`, so that the client itself does not need React. */
export function setReactRenderer(renderer: Render): void {
  render = renderer
}

export async function renderReact(input: SendInput, element: unknown): Promise<SendInput> {
  if (element === undefined || element === null) return input
  if (!render) {
    const message = 'To send a React element, import "edgepost/react" once.'
    throw new EdgepostError({ code: "configuration", message })
  }
  const { html, text } = await render(element)
  return { ...input, html: input.html ?? html, text: input.text ?? text }
}
