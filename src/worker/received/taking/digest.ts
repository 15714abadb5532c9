import { headerFields } from "../../../lib/header-fields.ts"
import { MAX_HEADER_BYTES } from "../../emails/raw/structure.ts"

/** What servers on the way add: a repeat differs in these. */
const LEFT_OUT = /^(received|return-path|delivered-to|arc-.*|authentication-results)$/

/** The SHA-256 of a message without these fields, from its pieces. A header that is too long counts as it is. */
export function createMessageDigest() {
  const stream = new crypto.DigestStream("SHA-256")
  const writer = stream.getWriter()
  let head: Buffer | null = Buffer.alloc(0)

  async function writeHead(bytes: Buffer, end: number): Promise<void> {
    head = null
    const kept = headerFields(bytes.toString("latin1", 0, end)).filter(
      ({ name }) => name === null || !LEFT_OUT.test(name),
    )
    await writer.write(Buffer.from(kept.map(({ text }) => text).join("\n"), "latin1"))
    await writer.write(bytes.subarray(end))
  }

  return {
    async write(chunk: Uint8Array): Promise<void> {
      if (head === null) return writer.write(chunk)
      const bytes: Buffer = Buffer.concat([head, chunk])
      const end = endOfHead(bytes)
      if (end !== -1) return writeHead(bytes, end)
      head = bytes.length > MAX_HEADER_BYTES ? null : bytes
      if (head === null) await writer.write(bytes)
    },
    async end(): Promise<string> {
      if (head !== null) await writeHead(head, head.length)
      await writer.close()
      return Buffer.from(await stream.digest).toString("hex")
    },
  }
}

function endOfHead(bytes: Buffer): number {
  const ends = [bytes.indexOf("\r\n\r\n"), bytes.indexOf("\n\n")].filter((at) => at !== -1)
  return ends.length === 0 ? -1 : Math.min(...ends)
}
