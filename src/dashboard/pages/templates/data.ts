import { queryOptions } from "@tanstack/react-query"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { api } from "../../api/api.ts"

/** Not read again by itself, so that it does not change under somebody who writes. */
export const templateQuery = (id: string) =>
  queryOptions<TemplateWithVersions>({
    queryKey: ["templates", "one", id],
    queryFn: () => api.templates.get(id),
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
