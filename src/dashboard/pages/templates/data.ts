import { queryOptions } from "@tanstack/react-query"
import type { TemplateWithVersions } from "../../../client/types.ts"
import { api } from "../../api/api.ts"

/** What somebody has not saved yet stays in the editor when the template is read again. */
export const templateQuery = (id: string) =>
  queryOptions<TemplateWithVersions>({
    queryKey: ["templates", "one", id],
    queryFn: () => api.templates.get(id),
    staleTime: 0,
    refetchOnWindowFocus: "always",
  })
