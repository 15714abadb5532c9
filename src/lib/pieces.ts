const BLOCK_BYTES = 64 * 1024

/** Collects bytes that come in pieces. A million small pieces would take a hundred times their memory. */
export function createPieces() {
  const pieces: Uint8Array[] = []
  let block = Buffer.alloc(0)
  let used = 0
  function endBlock(nextBytes: number) {
    if (used > 0) pieces.push(block.subarray(0, used))
    block = Buffer.alloc(nextBytes)
    used = 0
  }
  return {
    pieces,
    add(piece: Uint8Array) {
      const isLarge = piece.length >= BLOCK_BYTES
      if (used + piece.length > block.length) endBlock(isLarge ? 0 : BLOCK_BYTES)
      if (isLarge) pieces.push(piece)
      else {
        block.set(piece, used)
        used += piece.length
      }
    },
    join(): Buffer {
      endBlock(0)
      return Buffer.concat(pieces)
    },
  }
}
