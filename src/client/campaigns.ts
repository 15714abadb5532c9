import { iterate, type Page } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type {
  Audience,
  Campaign,
  CreateCampaignInput,
  ListCampaignsQuery,
  UpdateCampaignInput,
} from "./types.ts"

export const openCampaigns = ({ call }: Transport) => {
  const list = (query: ListCampaignsQuery = {}, options?: CallOptions) =>
    call<Page<Campaign>>({ method: "GET", path: "/campaigns", query }, options)

  return {
    /** Creates a draft. Nothing is sent. */
    create: (body: CreateCampaignInput, options?: CallOptions) =>
      call<Campaign>({ method: "POST", path: "/campaigns", body }, options),

    /** A page of campaigns, newest first. */
    list,

    /** Every campaign that the query finds. Reads one page after another. */
    iterate: (query: ListCampaignsQuery = {}, options?: CallOptions) =>
      iterate(list, query, options),

    /** A campaign, with its `counts` so far. */
    get: (id: string, options?: CallOptions) =>
      call<Campaign>({ method: "GET", path: path`/campaigns/${id}` }, options),

    /** Changes a campaign that is a draft or scheduled; a scheduled one returns to draft. */
    update: (id: string, body: UpdateCampaignInput, options?: CallOptions) =>
      call<Campaign>({ method: "PATCH", path: path`/campaigns/${id}`, body }, options),

    /** How many contacts the campaign would reach now. */
    audience: (id: string, options?: CallOptions) =>
      call<Audience>({ method: "GET", path: path`/campaigns/${id}/audience` }, options),

    /** Sends the campaign at a time in the future. */
    schedule: (id: string, body: { scheduledAt: string }, options?: CallOptions) =>
      call<Campaign>({ method: "POST", path: path`/campaigns/${id}/schedule`, body }, options),

    /** Sends the campaign now. The client never repeats this call: if it failed, read the campaign. */
    sendNow: (id: string, options?: CallOptions) =>
      call<Campaign>({ method: "POST", path: path`/campaigns/${id}/send` }, options),

    /** Cancels the emails that the provider does not have yet. Safe to repeat. */
    cancel: (id: string, options?: CallOptions) =>
      call<Campaign>({ method: "POST", path: path`/campaigns/${id}/cancel`, retry: true }, options),

    /** Resumes a campaign that its brake has paused. Safe to repeat. */
    resume: (id: string, options?: CallOptions) =>
      call<Campaign>({ method: "POST", path: path`/campaigns/${id}/resume`, retry: true }, options),

    /** Deletes a campaign that is not being sent. */
    remove: (id: string, options?: CallOptions) =>
      call<undefined>({ method: "DELETE", path: path`/campaigns/${id}` }, options),
  }
}
