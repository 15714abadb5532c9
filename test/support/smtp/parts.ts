/** A part of a message, decoded by the letter of RFC 2045 and 2046: not one byte more or less. */
export interface Part {
  type: string
  /** Lower-case name to unfolded value, as it stands in the message. */
  headers: Map<string, string>
  parts: Part[]
  content: Buffer
}

export function parseParts(raw: Buffer): Part {
  const message = raw.toString("latin1")
  const end = message.indexOf("\r\n\r\n")
  const headers = readHeaders(message.slice(0, end))
  const body = message.slice(end + 4)
  const contentType = headers.get("content-type") ?? "text/plain"
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? ""
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (!type.startsWith("multipart/") || !boundary) {
    return { type, headers, parts: [], content: decode(body, headers) }
  }
  // The line end before a boundary belongs to the boundary.
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1)
  const last = pieces.findIndex((piece) => piece.startsWith("--"))
  const parts = pieces
    .slice(0, last)
    .map((piece) => parseParts(Buffer.from(piece.slice(piece.indexOf("\r\n") + 2), "latin1")))
  return { type, headers, parts, content: Buffer.alloc(0) }
}

/** `mixed(alternative(text/plain, text/html), application/pdf)`. */
export const shapeOf = ({ type, parts }: Part): string =>
  parts.length > 0 ? `${type.replace("multipart/", "")}(${parts.map(shapeOf).join(", ")})` : type

export const leavesOf = (part: Part): Part[] =>
  part.parts.length > 0 ? part.parts.flatMap(leavesOf) : [part]

const readHeaders = (block: string) =>
  new Map(
    block
      .replace(/\r\n(?=[ \t])/g, "")
      .split("\r\n")
      .map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
  )

function decode(body: string, headers: Map<string, string>): Buffer {
  switch (headers.get("content-transfer-encoding")) {
    case "base64":
      return Buffer.from(body, "base64")
    case "quoted-printable":
      return Buffer.from(
        body
          .replace(/[ \t]+(?=\r\n|$)/g, "")
          .replace(/=\r\n/g, "")
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      )
    default:
      return Buffer.from(body, "latin1")
  }
}
