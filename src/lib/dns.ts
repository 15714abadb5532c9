import * as z from "zod"
import { withSignal } from "./within.ts"

const TYPE_NUMBERS = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const
const TIMEOUT_MS = 2_000
const NO_ERROR = 0
const NO_SUCH_NAME = 3

type Resolution = { ok: true; answers: string[] } | { ok: false; reason: string }

const reply = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
})

/** Looks a name up over DNS over HTTPS. A name that does not exist has no answers. */
export async function resolve(
  settings: { DNS_OVER_HTTPS_URL: string },
  name: string,
  type: keyof typeof TYPE_NUMBERS,
  timeoutMs = TIMEOUT_MS,
): Promise<Resolution> {
  const url = new URL(settings.DNS_OVER_HTTPS_URL)
  url.searchParams.set("name", name)
  url.searchParams.set("type", type)
  try {
    const answer = await withSignal(timeoutMs, async (signal) => {
      const response = await fetch(url, { headers: { accept: "application/dns-json" }, signal })
      return response.json()
    })
    const { Status, Answer } = reply.parse(answer)
    if (Status !== NO_ERROR && Status !== NO_SUCH_NAME) {
      return { ok: false, reason: `The look-up of ${name} failed with code ${Status}.` }
    }
    const answers = Answer.filter((answer) => answer.type === TYPE_NUMBERS[type])
    return { ok: true, answers: answers.map(({ data }) => (type === "TXT" ? unquote(data) : data)) }
  } catch {
    return { ok: false, reason: `The look-up of ${name} got no answer.` }
  }
}

/** Whether the resolver answers: every resolver knows the name servers of the root. */
export const isResolverUp = async (settings: { DNS_OVER_HTTPS_URL: string }) =>
  (await resolve(settings, ".", "NS")).ok

/** TXT data is one or more quoted strings, which are joined. Each character is looked at once. */
function unquote(data: string): string {
  if (!data.startsWith('"')) return data
  let [text, isQuoted] = ["", false]
  for (const [piece, escaped] of data.matchAll(/\\(.)|"|[^"\\]+/gs)) {
    if (piece === '"') isQuoted = !isQuoted
    else if (isQuoted) text += escaped ?? piece
  }
  return text
}
