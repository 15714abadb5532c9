import { measureLines, withLineEnds } from "../../../lib/line-ends.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { within } from "../../../lib/within.ts"
import { findInBuckets } from "../../platform/db/buckets.ts"
import { READ_WITHIN_MS, readObject } from "../../platform/db/overflow.ts"
import type { Env } from "../../platform/env.ts"
import type { ReceivedRow } from "../table.ts"

const LARGE_BYTES = 1024 * 1024
const BYTES_A_TURN = 4 * 1024 * 1024

/**
 * A message with CRLF at the end of each line: the places of its parts are in these bytes. A large one is read
 * twice, so that it is in memory once.
 */
export async function loadMessage(
  env: Env,
  { objectKey: key, size }: Pick<ReceivedRow, "objectKey" | "size">,
): Promise<Buffer | null> {
  const objectKey = key as string
  if (size <= LARGE_BYTES) {
    const raw = await readObject(env, objectKey)
    return raw && withLineEnds(raw)
  }
  let written = 0
  const isThere = await forEachPiece(env, objectKey, (piece) => {
    written += piece.length + measureLines(piece).bare
  })
  if (!isThere) return null
  const bytes = Buffer.alloc(written)
  let at = 0
  await forEachPiece(env, objectKey, (piece) => {
    at += withLineEnds(piece).copy(bytes, at)
  })
  return bytes
}

const CR = 13

/** No piece ends between a CR and an LF. Answers whether the object is there. */
async function forEachPiece(
  env: Env,
  objectKey: string,
  act: (piece: Buffer) => void,
): Promise<boolean> {
  const read = findInBuckets(env, async (bucket) => {
    const object = await bucket.get(objectKey)
    if (!object) return null
    let rest = Buffer.alloc(0)
    let left = BYTES_A_TURN
    for await (const chunk of object.body) {
      const bytes = Buffer.concat([rest, chunk])
      const end = bytes.length - Number(bytes.at(-1) === CR)
      act(bytes.subarray(0, end))
      rest = bytes.subarray(end)
      left -= chunk.length
      if (left > 0) continue
      await nextTurn()
      left = BYTES_A_TURN
    }
    act(rest)
    return true
  })
  return (await within(READ_WITHIN_MS, read)) !== null
}
