import type { EmailContent } from "../content.ts"

/** Without a text of the sender, the text part is made from the html. An empty text means none. */
export async function textPartOf(content: EmailContent): Promise<string | null> {
  const { reader, text } = await createTextPart(content)
  const { readHtmlInTurns } = await import("../../../lib/html-tokens.ts")
  if (reader) await readHtmlInTurns(content.html ?? "", reader)
  return text(Number.POSITIVE_INFINITY)
}

/** The text part, for a caller that reads the html anyway: `reader` has to read the html, too. */
export async function createTextPart({ html, text }: EmailContent) {
  if (text !== null || !html) return { text: () => text || null }
  const { createTextReader } = await import("../../../lib/html-text.ts")
  const made = createTextReader()
  return {
    reader: made.reader,
    text: (maxBytes: number) => fitting(made.text(), maxBytes),
  }
}

const fitting = (text: string, maxBytes: number) =>
  text !== "" && Buffer.byteLength(text) <= maxBytes ? text : null
