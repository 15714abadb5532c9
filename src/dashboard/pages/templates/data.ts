import { queryOptions } from "@tanstack/react-query"
import type { TemplateContent } from "../../../worker/templates/contract.ts"
import type { Design } from "../../../worker/templates/design-contract.ts"
import type {
  createTemplateDraft,
  discardTemplateDraft,
  getTemplateDraft,
  listTemplateDrafts,
  publishTemplate,
  saveTemplateDraft,
} from "../../../worker/templates/draft-contract.ts"
import { call, path } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { allOf } from "../campaigns/data.ts"

type Reply = ReplyOf<typeof getTemplateDraft>
export type Draft = Omit<Reply, "versions">

export interface OpenTemplate {
  id: string
  slug: string
  /** 0 if it was never published. */
  version: number
  /** Without a saved draft it is what is published. */
  draft: Draft
  /** The newest first. */
  versions: Reply["versions"]
}

/** What calls with a key find. */
export const publishedOf = ({ versions, version }: OpenTemplate) =>
  versions.find((one) => one.version === version)?.snapshot

export const nameOf = (template: OpenTemplate) => publishedOf(template)?.name ?? template.draft.name

/** What the person has seen: whoever changed something since is not overwritten. */
export type Seen = Pick<Draft, "version" | "revision">

/** What somebody has not saved yet stays in the editor when the template is read again. */
export const templateQuery = (id: string) =>
  queryOptions<OpenTemplate>({
    queryKey: ["templates", "one", id],
    queryFn: async () => {
      const { versions, ...draft } = await call<typeof getTemplateDraft>({
        method: "GET",
        path: path`/templates/${id}/draft`,
      })
      const { slug, version } = draft
      return { id: draft.id, slug, version, draft, versions }
    },
    staleTime: 0,
    refetchOnWindowFocus: "always",
  })

/** The templates with changes that are not published. */
export const readDrafts = () =>
  allOf((query) =>
    call<typeof listTemplateDrafts>({
      method: "GET",
      path: "/template-drafts",
      query: { ...query },
    }),
  )

export const draftsQuery = queryOptions({
  queryKey: ["templates", "drafts"],
  queryFn: readDrafts,
})

export const createDraft = (input: DraftInput & { slug: string }) =>
  call<typeof createTemplateDraft>({ method: "POST", path: "/template-drafts", body: input })

export type DraftInput = TemplateContent & { slug?: string; design?: Design | null | undefined }

export const saveDraft = (id: string, content: DraftInput, seen: Seen) =>
  call<typeof saveTemplateDraft>({
    method: "POST",
    path: path`/templates/${id}/draft`,
    body: { ...content, ...seen },
  })

export const publishDraft = (id: string, seen: Seen & { confirmedVariables: string[] }) =>
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
