import type { listCampaignLinks } from "../../../worker/stats/links/contract.ts"
import { call, path } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { number } from "../../ui/numbers.ts"
import { Section } from "../../ui/page.tsx"

type LinkClicks = ReplyOf<typeof listCampaignLinks>["data"][number]
type LinkOwner = { campaignId: string } | { templateId: string }

/** Clicks by link, most clicks first. */
export function Links({ owner }: { owner: LinkOwner }) {
  const isCampaign = "campaignId" in owner
  const id = isCampaign ? owner.campaignId : owner.templateId
  const links = usePages<LinkClicks>(["links", id], (query, options) =>
    call<typeof listCampaignLinks>(
      {
        method: "GET",
        path: isCampaign ? path`/campaigns/${id}/links` : path`/templates/${id}/links`,
        query: { ...query },
      },
      options,
    ),
  )
  const clicked = new URLSearchParams({
    q: `${isCampaign ? "campaign" : "template"}:${id} clicked:yes`,
  })
  return (
    <Section title="Clicks by link" about="Since the first email was sent.">
      <List
        {...links}
        label="Links"
        columns={columnsOf(`/emails?${clicked}`)}
        rowKey={({ url }) => url ?? ""}
        empty={<p className="text-muted">No link was clicked yet.</p>}
      />
    </Section>
  )
}

const columnsOf = (clicked: string): Column<LinkClicks>[] => [
  {
    head: "Link",
    width: "minmax(0,1fr)",
    cell: ({ url }) => <span className="truncate">{url ?? "All other links"}</span>,
  },
  { head: "Clicks", width: "96px", right: true, phone: true, cell: ({ clicks }) => number(clicks) },
  {
    head: "Emails",
    width: "96px",
    right: true,
    cell: ({ recipients }) => <Link to={clicked}>{number(recipients)}</Link>,
  },
]
