import { queryOptions } from "@tanstack/react-query"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { api } from "../../api/api.ts"

/** Never read again automatically, so that the text does not change while somebody edits it. */
export const templateQuery = (id: string) =>
  queryOptions<TemplateWithVersions>({
    queryKey: ["templates", "one", id],
    queryFn: () => api.templates.get(id),
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
