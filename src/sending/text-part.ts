import type { EmailContent } from "../emails/content.ts"

/**
 * The text part that goes out: what the sender wrote, else the html as plain text where that has at
 * most `maxBytes`. An empty text asks for none.
 */
export async function textPartOf(
  { html, text }: EmailContent,
  maxBytes: number,
): Promise<string | null> {
  if (text !== null || !html) return text || null
  const { htmlToText } = await import("../lib/html-text.ts")
  const made = htmlToText(html)
  return made !== "" && Buffer.byteLength(made) <= maxBytes ? made : null
}
