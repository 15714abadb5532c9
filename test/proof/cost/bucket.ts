export type Bucket = R2Bucket

interface Counts {
  r2Writes: number
  r2Reads: number
}

/** Writes and lists are of class A, reads of class B, and deletes are free. Keeps what is read. */
export const countedBucket = (
  bucket: Bucket,
  counts: Counts,
  objects: Map<string, ArrayBuffer>,
): Bucket =>
  ({
    async put(...args: Parameters<Bucket["put"]>) {
      counts.r2Writes++
      return bucket.put(...args)
    },
    async list(options: R2ListOptions) {
      counts.r2Writes++
      return bucket.list(options)
    },
    async get(key: string, options: R2GetOptions) {
      counts.r2Reads++
      const object = (await bucket.get(key, options)) as R2ObjectBody | null
      if (!object) return null
      const bytes = await object.arrayBuffer()
      objects.set(key, bytes)
      return readable(bytes)
    },
    delete: (keys: string | string[]) => bucket.delete(keys),
  }) as unknown as Bucket

/** Has what was read before, and takes everything. */
export const keptBucket = (objects: ReadonlyMap<string, ArrayBuffer>): Bucket =>
  ({
    put: async () => ({}),
    list: async () => ({ objects: [], truncated: false }),
    get: async (key: string) => {
      const bytes = objects.get(key)
      return bytes ? readable(bytes) : null
    },
    delete: async () => {},
  }) as unknown as Bucket

const readable = (bytes: ArrayBuffer) => ({ arrayBuffer: async () => bytes })
