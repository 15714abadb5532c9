export function chunk<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size))
  return chunks
}

/** Chunks of at most `count` items and `bytes` of JSON. A larger item is a chunk of its own. */
export function chunkBySize<T>(
  items: readonly T[],
  { count, bytes }: { count: number; bytes: number },
): T[][] {
  const chunks: T[][] = []
  let room = 0
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1
    const current = chunks.at(-1)
    if (current && current.length < count && size <= room) current.push(item)
    else {
      chunks.push([item])
      room = bytes
    }
    room -= size
  }
  return chunks
}

/** Runs `work` on all items, at most `limit` at a time. Results are in the order of the items. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as T)
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
