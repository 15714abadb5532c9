import { type Calls, get, post, remove } from "./calls.ts"
import { iterate, type Page } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  AddSuppressionInput,
  ImportSuppressionsInput,
  ListSuppressionsQuery,
  Suppression,
  SuppressionImportReport,
} from "./types.ts"

export const createSuppressionsApi = ({ call }: Calls) => {
  const list = (query: ListSuppressionsQuery = {}, options?: CallOptions) =>
    call<Page<Suppression>>(get`/suppressions`, options, { query })

  return {
    /** Blocks an address. An address that is listed already keeps its record. */
    add: (body: AddSuppressionInput, options?: CallOptions) =>
      call<Suppression>(post`/suppressions`, options, { body }),

    /** Blocks the addresses of CSV of up to 2 MiB and 10,000 rows. The client never repeats this call. */
    import: (body: ImportSuppressionsInput, options?: CallOptions) =>
      call<SuppressionImportReport>(post`/suppressions/import`, options, { body }),

    /** A page of suppressed addresses, newest first. With `q`: the addresses that start with `q`. */
    list,

    /** Every suppressed address. Reads one page after another. */
    iterate: (query: ListSuppressionsQuery = {}, options?: CallOptions) =>
      iterate(list, query, options),

    /** Allows mail to an address again. */
    remove: (email: string, options?: CallOptions) =>
      call<undefined>(remove`/suppressions/${email}`, options),
  }
}
