import type { Get } from "./api.ts"

/** The part of Resend's API that the import reads. */
export interface ResendApi {
  get: Get
  /** Every record of a list. Reads one page after another. */
  all<T extends { id: string }>(path: string): AsyncGenerator<T, void, undefined>
}

const PAGE = 100

export const createResendApi = (get: Get): ResendApi => ({
  get,
  async *all(path) {
    for (let after: string | undefined; ; ) {
      const query = `limit=${PAGE}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`
      const page = await get<{ data: { id: string }[]; has_more?: boolean }>(`${path}?${query}`)
      yield* page.data as never[]
      after = page.data.at(-1)?.id
      if (!page.has_more || after === undefined) return
    }
  },
})
