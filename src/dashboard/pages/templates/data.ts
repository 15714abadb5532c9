import { queryOptions } from "@tanstack/react-query"
import type { TemplateWithVersions } from "../../../client/types.ts"
import type { TemplateContent } from "../../../worker/templates/contract.ts"
import type {
  discardTemplateDraft,
  getTemplateDraft,
  listTemplateDrafts,
  publishTemplate,
  saveTemplateDraft,
} from "../../../worker/templates/draft-contract.ts"
import { api, call, path } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { allOf } from "../campaigns/data.ts"

export type Draft = ReplyOf<typeof getTemplateDraft>

export interface OpenTemplate extends TemplateWithVersions {
  /** Without a saved draft it is what is published. */
  draft: Draft
}

/** What the person has seen: whoever changed something since is not overwritten. */
export type Seen = Pick<Draft, "version" | "revision">

/** What somebody has not saved yet stays in the editor when the template is read again. */
export const templateQuery = (id: string) =>
  queryOptions<OpenTemplate>({
    queryKey: ["templates", "one", id],
    queryFn: async () => {
      const [template, draft] = await Promise.all([
        api.templates.get(id),
        call<typeof getTemplateDraft>({ method: "GET", path: path`/templates/${id}/draft` }),
      ])
      return { ...template, draft }
    },
    staleTime: 0,
    refetchOnWindowFocus: "always",
  })

/** The ids of the templates with changes that are not published. */
export const draftsQuery = queryOptions({
  queryKey: ["templates", "drafts"],
  queryFn: async () => {
    const drafts = await allOf((query) =>
      call<typeof listTemplateDrafts>({
        method: "GET",
        path: "/template-drafts",
        query: { ...query },
      }),
    )
    return new Set(drafts.map(({ id }) => id))
  },
})

export const saveDraft = (id: string, content: TemplateContent, seen: Seen) =>
  call<typeof saveTemplateDraft>({
    method: "POST",
    path: path`/templates/${id}/draft`,
    body: { ...content, ...seen },
  })

export const publishDraft = (id: string, seen: Seen) =>
  call<typeof publishTemplate>({
    method: "POST",
    path: path`/templates/${id}/publish`,
    body: seen,
  })

export const discardDraft = (id: string, revision: string) =>
  call<typeof discardTemplateDraft>({
    method: "DELETE",
    path: path`/templates/${id}/draft`,
    query: { revision },
  })
