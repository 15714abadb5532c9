import { useMemo } from "react"
import type { Campaign, Domain, UpdateCampaignInput } from "../../../../client/types.ts"
import { pick } from "../../../../lib/pick.ts"
import { campaignBlocks, type Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { updateCampaign } from "../../../../worker/campaigns/contract.ts"
import { api } from "../../../api/api.ts"
import { useHistory } from "../../blocks/canvas/history.ts"
import { type Draft, toBlocks, toDrafts, written } from "../../blocks/draft/draft.ts"
import { useSharedAutosave } from "../../blocks/draft/other-tabs.ts"
import { findProblems } from "../../blocks/problems.ts"
import { CHOSEN, keep } from "../actions.ts"
import { domainOfSender } from "../data.ts"

/** The fields that the editor changes. The sender determines the domain. */
export type Content = Pick<Campaign, (typeof CHOSEN)[number]> & {
  theme: Theme | null
  drafts: readonly Draft[]
}

export type Update = (changes: Partial<Content>, step?: string) => void

const contentOf = (campaign: Campaign): Content => ({
  ...pick(campaign, CHOSEN),
  theme: campaign.theme as Theme | null,
  drafts: toDrafts(campaign.blocks),
})

/** A campaign in the editor: its content, undo, problems, and what is saved. */
export function useDraft(campaign: Campaign, domains: readonly Domain[], onOld: () => void) {
  const history = useHistory(contentOf(campaign))
  const { present: content, change } = history
  const domain = domainOfSender(content.from, domains)
  const problems = useMemo(() => findProblems(content.drafts, campaignBlocks), [content.drafts])
  const value = useMemo(() => {
    const { drafts, ...rest } = content
    return { ...rest, domainId: domain?.id ?? campaign.domainId, blocks: toBlocks(written(drafts)) }
  }, [content, domain?.id, campaign.domainId])
  const save = async (changes: Partial<typeof value>) =>
    keep(await api.campaigns.update(campaign.id, changes as UpdateCampaignInput)).updatedAt
  const saving = useSharedAutosave(campaign.updatedAt, value, updateCampaign.json, save, onOld)
  const update: Update = (changes, step) =>
    change((before) => ({ ...before, ...changes }), step ?? Object.keys(changes).join())
  return { ...history, content, value, update, domain, problems, saving }
}
