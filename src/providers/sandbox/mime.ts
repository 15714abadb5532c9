import type { SandboxMessage } from "../../sandbox/contract.ts"

type Shown = Pick<SandboxMessage, "headers" | "attachments">

interface Part {
  headers: [name: string, value: string][]
  /** One character per byte. */
  body: string
}

/** Reads the MIME that the sandbox has composed, as a mail program reads it. */
export function readMime(raw: Buffer): Shown {
  const message = readPart(raw.toString("latin1"))
  const headers: Shown["headers"] = {}
  for (const [name, value] of message.headers) {
    const earlier = headers[name]
    const decoded = decodeWords(value)
    headers[name] = earlier === undefined ? decoded : [earlier, decoded].flat()
  }
  return { headers, attachments: leavesOf(message).filter(isAttachment).map(toAttachment) }
}

function readPart(text: string): Part {
  const end = text.indexOf("\r\n\r\n")
  const head = Buffer.from(end < 0 ? text : text.slice(0, end), "latin1").toString("utf8")
  const lines: string[] = head.replace(/\r\n[ \t]+/g, " ").split("\r\n")
  return {
    headers: lines
      .filter((line) => line !== "")
      .map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
      }),
    body: end < 0 ? "" : text.slice(end + 4),
  }
}

function leavesOf(part: Part): Part[] {
  const boundary = parameterOf(part, "content-type", "boundary")
  if (boundary === null) return [part]
  const parts = `\r\n${part.body}`.split(`\r\n--${boundary}`).slice(1, -1)
  return parts.flatMap((text) => leavesOf(readPart(text.slice(text.indexOf("\r\n") + 2))))
}

const headerOf = ({ headers }: Part, wanted: string) =>
  headers.find(([name]) => name === wanted)?.[1]

/** A header without its parameters. */
const bareHeader = (part: Part, name: string) =>
  headerOf(part, name)?.split(";", 1)[0]?.trim().toLowerCase()

const isAttachment = (part: Part) =>
  bareHeader(part, "content-disposition") === "attachment" ||
  !["text/plain", "text/html", undefined].includes(bareHeader(part, "content-type"))

const toAttachment = (part: Part): Shown["attachments"][number] => ({
  filename:
    parameterOf(part, "content-disposition", "filename") ??
    parameterOf(part, "content-type", "name"),
  contentType: bareHeader(part, "content-type") ?? "text/plain",
  size: Buffer.from(part.body, "base64").length,
  contentId: headerOf(part, "content-id")?.replace(/^<|>$/g, "") ?? null,
})

const PARAMETER = /;\s*([\w-]+)(?:\*(\d+))?(\*?)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g

/** The pieces of a long value are numbered, and encoded where an asterisk says so (RFC 2231). */
function parameterOf(part: Part, header: string, wanted: string): string | null {
  const pieces = [...(headerOf(part, header) ?? "").matchAll(PARAMETER)]
    .filter(([, name]) => name?.toLowerCase() === wanted)
    .toSorted((a, b) => Number(a[2] ?? 0) - Number(b[2] ?? 0))
  if (pieces.length === 0) return null
  const bytes = pieces.map(([, , , isEncoded, quoted, plain = ""]) => {
    const piece = quoted?.replace(/\\(.)/g, "$1") ?? plain
    return isEncoded ? bytesOf(piece.replace(/^utf-8''/i, "")) : Buffer.from(piece)
  })
  return decodeWords(Buffer.concat(bytes).toString("utf8"))
}

const WORDS = /=\?utf-8\?[qb]\?[^?]*\?=(?:\s+=\?utf-8\?[qb]\?[^?]*\?=)*/gi

/** The words of RFC 2047. A character may begin in one word and end in the next. */
const decodeWords = (text: string) =>
  text.replace(WORDS, (run) => {
    const words = run.split(/\s+/).map((word) => {
      const [, , encoding, data = ""] = word.split("?")
      return encoding?.toLowerCase() === "b"
        ? Buffer.from(data, "base64")
        : bytesOf(data.replace(/_/g, " ").replace(/=/g, "%"))
    })
    return Buffer.concat(words).toString("utf8")
  })

/** Bytes of ASCII text with percent-encoded bytes in it. */
const bytesOf = (encoded: string) =>
  Buffer.from(
    encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  )
