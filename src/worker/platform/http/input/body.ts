import { createPieces } from "../../../../lib/pieces.ts"
import { ApiError, invalid } from "../errors.ts"
import { growMemory, SMALL_BYTES } from "./memory-budget.ts"

export const MIB = 1024 * 1024

/** A call that starts again in another database needs its body again. Larger bodies are read after the check. */
const KEPT_BYTES = 256 * 1024
const kept = new WeakMap<Request, Uint8Array>()

export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const body = kept.get(request) ?? (await readOnce(request, maxBytes))
  if (body.length <= KEPT_BYTES) kept.set(request, body)
  return body
}

/**
 * Reads the whole body. A body over the limit is read to its end, too: otherwise the caller would see
 * a network error instead of the reply.
 */
async function readOnce(request: Request, maxBytes: number): Promise<Uint8Array> {
  const length = request.headers.get("content-length")
  if (length !== null && Number(length) <= maxBytes)
    return new Uint8Array(await request.arrayBuffer())
  const collected = createPieces()
  let [size, held] = [0, SMALL_BYTES]
  for await (const piece of request.body ?? []) {
    size += piece.byteLength
    if (size > held && size <= maxBytes) {
      held = Math.min(Math.max(size, 4 * held), maxBytes)
      await growMemory(request, held)
    }
    if (size <= maxBytes) collected.add(piece)
  }
  if (size > maxBytes) {
    throw new ApiError("payload_too_large", `The body may have at most ${maxBytes} bytes.`)
  }
  return collected.join()
}

/** Several times the values of the largest batch. */
const MAX_VALUES = 300_000
/** Members with names that are all different take the most time. */
const MAX_MEMBERS = 100_000

/** Parses JSON, whatever the content type is. Refuses too many values before it parses. */
export function parseJson(body: Uint8Array, maxMembers = MAX_MEMBERS): unknown {
  if (body.length > MAX_VALUES) refuseTooMany(body, maxMembers)
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body))
  } catch {
    throw invalid([], "The body must be valid JSON in UTF-8")
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = new TextEncoder().encode('"\\,:[{')

/** Counts commas, opening brackets and colons outside of strings, up to the limits. */
function refuseTooMany(json: Uint8Array, maxMembers: number): void {
  let [values, members] = [1, 0]
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfText(json, at + 1)
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      if (++values > MAX_VALUES) throw tooMany(MAX_VALUES, "values")
    } else if (byte === COLON && ++members > maxMembers) throw tooMany(maxMembers, "members")
  }
}

const tooMany = (count: number, what: string) =>
  invalid([], `The body may have at most ${count} ${what}`)

/** A search costs as much as looking at a few dozen bytes. */
const NEAR_BYTES = 64

/** The position of the quote that ends a string. Looks at the next bytes one by one, then searches. */
function endOfText(json: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    for (const near = Math.min(at + NEAR_BYTES, json.length); at < near; at++) {
      if (json[at] === QUOTE) return at
      if (json[at] === BACKSLASH) at++
    }
    const quote = json.indexOf(QUOTE as number, at)
    if (quote === -1) return json.length
    let escapes = 0
    while (quote - escapes > at && json[quote - escapes - 1] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote
    at = quote + 1
  }
}
