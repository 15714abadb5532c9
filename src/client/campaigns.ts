import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  Audience,
  Campaign,
  CreateCampaignInput,
  LinkClicks,
  ListCampaignsQuery,
  UpdateCampaignInput,
} from "./types.ts"

export const createCampaignsApi = ({ call }: Calls) => {
  const list = (query: ListCampaignsQuery = {}, options?: CallOptions) =>
    call<Page<Campaign>>(get`/campaigns`, options, { query })
  const links = (id: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<LinkClicks>>(get`/campaigns/${id}/links`, options, { query })

  return {
    /** Creates a draft. Nothing is sent. */
    create: (body: CreateCampaignInput, options?: CallOptions) =>
      call<Campaign>(post`/campaigns`, options, { body }),

    /** A page of campaigns, newest first. */
    list,

    /** Every campaign that the query finds. Reads one page after another. */
    iterate: (query: ListCampaignsQuery = {}, options?: CallOptions) =>
      iterate(list, query, options),

    /** A campaign, with its `counts` so far. */
    get: (id: string, options?: CallOptions) => call<Campaign>(get`/campaigns/${id}`, options),

    /** Changes a campaign that is a draft or scheduled; a scheduled one returns to draft. */
    update: (id: string, body: UpdateCampaignInput, options?: CallOptions) =>
      call<Campaign>(patch`/campaigns/${id}`, options, { body }),

    /** How many contacts the campaign would reach now. */
    audience: (id: string, options?: CallOptions) =>
      call<Audience>(get`/campaigns/${id}/audience`, options),

    /** A page of the links of a campaign, most clicks first. */
    links,

    /** Every link of a campaign. Reads one page after another. */
    iterateLinks: (id: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate((page: PageQuery, more) => links(id, page, more), query, options),

    /** Sends the campaign at a time in the future. */
    schedule: (id: string, body: { scheduledAt: string | Date }, options?: CallOptions) =>
      call<Campaign>(post`/campaigns/${id}/schedule`, options, { body }),

    /** Sends the campaign now. The client never repeats this call: if it failed, read the campaign. */
    sendNow: (id: string, options?: CallOptions) =>
      call<Campaign>(post`/campaigns/${id}/send`, options),

    /** Cancels the emails that the provider does not have yet. Safe to repeat. */
    cancel: (id: string, options?: CallOptions) =>
      call<Campaign>(post`/campaigns/${id}/cancel`, options, { retry: true }),

    /** Holds the emails that are not taken for sending yet. Safe to repeat. */
    pause: (id: string, options?: CallOptions) =>
      call<Campaign>(post`/campaigns/${id}/pause`, options, { retry: true }),

    /** Resumes a paused campaign. Safe to repeat. */
    resume: (id: string, options?: CallOptions) =>
      call<Campaign>(post`/campaigns/${id}/resume`, options, { retry: true }),

    /** Deletes a campaign that is not being sent. */
    remove: (id: string, options?: CallOptions) =>
      call<undefined>(remove`/campaigns/${id}`, options),
  }
}
