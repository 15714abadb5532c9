import { lostTargetsOf, textsOfHtml } from "./author-html.ts"
import type { Block } from "./contract.ts"
import { decodeEntities, richTokens } from "./rich-text.ts"

/** The texts and URLs of a block, without its markup. */
export function textsOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
      return [block.text]
    case "text":
      return richTokens(block.html).flatMap((token) => {
        if (token.kind === "text") return decodeEntities(token.html)
        return token.kind === "link" ? token.href : []
      })
    case "button":
      return [block.label, block.url]
    case "image":
      return [block.alt, block.url, block.href ?? ""]
    case "html":
      return [...textsOfHtml(block.html), block.text ?? ""]
    case "columns":
      return block.columns.flat().flatMap(textsOf)
    default:
      return []
  }
}

/** The targets of a block's HTML that a merge field in the wrong place would lose. */
export function lostTargets(block: Block): string[] {
  if (block.kind === "columns") return block.columns.flat().flatMap(lostTargets)
  return block.kind === "html" ? lostTargetsOf(block.html) : []
}
