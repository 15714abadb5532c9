import type { HtmlReader } from "../../lib/html-tokens.ts"

/** Stands in for the reader of `lib/html-tokens.ts` in the pages: a browser has a parser of its own. */
export function readHtml(html: string, { attributes, open, close, text }: HtmlReader): void {
  function read(node: Node) {
    if (node instanceof Text) text?.(node.data)
    if (!(node instanceof Element)) return
    const known = [...node.attributes].filter(({ name }) => attributes.has(name))
    open?.(
      node.localName,
      new Map(known.map(({ name, value }) => [name, { value, from: 0, to: 0 }])),
    )
    for (const child of node.childNodes) read(child)
    close?.(node.localName, 0)
  }
  for (const node of new DOMParser().parseFromString(html, "text/html").childNodes) read(node)
}
