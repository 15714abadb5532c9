import { gunzip, gunzippedBytes, isGzip } from "../../../lib/gzip.ts"
import { inRounds } from "../../../lib/rounds.ts"
import { within } from "../../../lib/within.ts"
import type { Env } from "../env.ts"
import { allBuckets, deleteFromBuckets, findInBuckets, ownBucket } from "./buckets.ts"

/** Data as it is stored: gzipped, or texts and bytes one after the other. */
export type Packed = Buffer | (string | Uint8Array)[]

/** Packed data: in the row if it is small, in R2 if it is large. */
export interface Stored {
  /** Base64, since D1 transfers blobs as arrays of numbers, at four times the size. */
  body: string | null
  objectKey: string | null
}

/** D1 takes 2 MB a parameter, and one parameter may have the contents of many emails. */
const ROW_MAX_BYTES = 48 * 1024

/** A claim that waits for R2 longer would lose its lease before its emails are recorded. */
export const READ_WITHIN_MS = 10_000
const WRITE_WITHIN_MS = 20_000

/** How the base64 of gzipped data begins. */
const GZIPPED = "H4sI"

/** Only a few larger ones fit into memory at once: a Worker has 128 MB. */
const LARGE_BYTES = 1024 * 1024

export const bytesOf = (packed: Packed): number =>
  Array.isArray(packed)
    ? packed.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
    : packed.length

const fitsRow = (packed: Packed) => bytesOf(packed) <= ROW_MAX_BYTES

/** Only large data needs a key. */
export async function store(
  env: Env,
  packed: Packed,
  keyOfObject: () => string | Promise<string>,
): Promise<Stored> {
  if (fitsRow(packed)) {
    const bytes = Array.isArray(packed)
      ? Buffer.concat(packed.map((piece) => Buffer.from(piece as string)))
      : packed
    return { body: bytes.toString("base64"), objectKey: null }
  }
  const objectKey = await keyOfObject()
  const put = Array.isArray(packed)
    ? putPieces(env, objectKey, packed)
    : ownBucket(env).put(objectKey, packed)
  await within<unknown>(WRITE_WITHIN_MS, put)
  return { body: null, objectKey }
}

type Pieces = Exclude<Packed, Buffer>

/** As a stream, so that the bytes of large texts are not in memory beside the texts. */
async function putPieces(env: Env, objectKey: string, pieces: Pieces): Promise<void> {
  const { readable, writable } = new FixedLengthStream(bytesOf(pieces))
  await Promise.all([ownBucket(env).put(objectKey, readable), writePieces(writable, pieces)])
}

const CHARACTERS_A_WRITE = 512 * 1024

async function writePieces(writable: WritableStream, pieces: Pieces): Promise<void> {
  const writer = writable.getWriter()
  for (const piece of pieces) {
    if (typeof piece !== "string") await writer.write(piece)
    else await writeText(writer, piece)
  }
  await writer.close()
}

async function writeText(writer: WritableStreamDefaultWriter, text: string): Promise<void> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + CHARACTERS_A_WRITE)
    await writer.write(Buffer.from(text.slice(from, to)))
    from = to
  }
}

/** Not between the halves of a surrogate pair. */
const endOfPiece = (text: string, at: number) =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at

/** Data that is small in the row may be large when it is unpacked. */
export const isLarge = ({ body, objectKey }: Stored) =>
  objectKey !== null ||
  (body?.startsWith(GZIPPED) === true &&
    gunzippedBytes(Buffer.from(body.slice(-8), "base64")) > LARGE_BYTES)

/** Null if it was purged. */
export async function load(env: Env, stored: Stored): Promise<Buffer | null> {
  if (stored.body !== null) return unpack(Buffer.from(stored.body, "base64"))
  if (stored.objectKey === null) return null
  const bytes = await readObject(env, stored.objectKey)
  return bytes && unpack(bytes)
}

/** Null if there is no such object. */
export const readObject = (env: Env, key: string, range?: R2Range): Promise<Buffer | null> =>
  within(
    READ_WITHIN_MS,
    findInBuckets(env, async (bucket) => {
      const object = await bucket.get(key, range && { range })
      return object && Buffer.from(await object.arrayBuffer())
    }),
  )

/** Objects of a team. A row leads to each, unless the process died between the upload and its row. */
const KINDS = ["content", "sandbox", "campaigns", "packs", "received"] as const

export const objectKeyOf = (kind: (typeof KINDS)[number], teamId: string, name: string) =>
  `${kind}/${teamId}/${name}`

export async function deleteObjectsOfTeam(env: Env, teamId: string): Promise<void> {
  for (const kind of KINDS) await deleteObjectsUnder(env, objectKeyOf(kind, teamId, ""))
}

/** R2 lists and deletes at most this many. */
export const MAX_OBJECTS = 1_000

export async function deleteObjectsUnder(env: Env, prefix: string): Promise<void> {
  for (const bucket of allBuckets(env)) {
    await inRounds({ size: MAX_OBJECTS }, async (limit) => {
      const { objects } = await bucket.list({ prefix, limit })
      if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
      return objects
    })
  }
}

/** Deletes the large data of these rows from R2. */
export const deleteObjects = (env: Env, rows: readonly Pick<Stored, "objectKey">[]) =>
  deleteFromBuckets(
    env,
    rows.flatMap(({ objectKey }) => objectKey ?? []),
  )

const unpack = (bytes: Buffer) => (isGzip(bytes) ? gunzip(bytes) : bytes)

/**
 * For a write that may lose to another one of the same object: R2 refuses one of two at once.
 * https://developers.cloudflare.com/r2/api/error-codes/
 */
export function unlessBeingWritten(error: Error): undefined {
  if (!error.message.includes("(10058)")) throw error
}
