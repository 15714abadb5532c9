import { queryOptions } from "@tanstack/react-query"
import type { ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"

export const bookQuery = (id: string) =>
  queryOptions<ContactBook>({
    queryKey: ["contact-books", "one", id],
    queryFn: () => api.contactBooks.get(id),
    staleTime: 5_000,
  })

/** After a change of contacts: the lists and the counts of the books. */
export function refreshContacts() {
  refresh("contacts", "contact-books")
}
