import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  CreateTemplateInput,
  LinkClicks,
  RenderedTemplate,
  Template,
  TemplateWithVersions,
  UpdateTemplateInput,
} from "./types.ts"

export const createTemplatesApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Template>>(get`/templates`, options, { query })
  const links = (slugOrId: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<LinkClicks>>(get`/templates/${slugOrId}/links`, options, { query })

  return {
    /** Creates a template with version 1. */
    create: (body: CreateTemplateInput, options?: CallOptions) =>
      call<Template>(post`/templates`, options, { body }),

    /** A page of templates, newest first. */
    list,

    /** Every template. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** A template with its 20 newest versions. */
    get: (slugOrId: string, options?: CallOptions) =>
      call<TemplateWithVersions>(get`/templates/${slugOrId}`, options),

    /** Changes a template, except its slug. Each change makes a new version. */
    update: (slugOrId: string, body: UpdateTemplateInput, options?: CallOptions) =>
      call<Template>(patch`/templates/${slugOrId}`, options, { body }),

    /** Renders the message that a send would store. Nothing is sent. */
    render: (
      slugOrId: string,
      body: { variables?: Record<string, unknown> } = {},
      options?: CallOptions,
    ) =>
      call<RenderedTemplate>(post`/templates/${slugOrId}/render`, options, { body, retry: true }),

    /** A page of the links of a template's emails, most clicks first. */
    links,

    /** Every link of a template's emails. Reads one page after another. */
    iterateLinks: (slugOrId: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate((page: PageQuery, more) => links(slugOrId, page, more), query, options),

    /** Deletes a template. Emails that were made from it stay. */
    remove: (slugOrId: string, options?: CallOptions) =>
      call<undefined>(remove`/templates/${slugOrId}`, options),
  }
}
