import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import type { Campaign } from "../../../../client/types.ts"
import type { Block, Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { inLayouts } from "../../../../worker/campaigns/body.ts"
import { teamQuery } from "../../../api/queries.ts"
import { lazy } from "../../../app/lazy.ts"
import { Skeleton } from "../../../ui/waiting.tsx"
import { layoutsQuery } from "../data.ts"

const Preview = lazy(() =>
  import("../../blocks/preview.tsx").then(({ Preview }) => ({ default: Preview })),
)

type Drawn = Campaign & { blocks: Block[]; theme: Theme | null }

/** The campaign's message with its default values, in the layouts as they are now. */
export function FrozenPreview({ campaign }: { campaign: Campaign }) {
  const layouts = useQuery(layoutsQuery)
  const team = useQuery(teamQuery)
  if (!layouts.data || !team.data) return <Skeleton />
  const find = (id: string | null) => layouts.data.find((layout) => layout.id === id)
  const [header, footer] = [find(campaign.headerLayoutId), find(campaign.footerLayoutId)]
  return (
    <Suspense fallback={<Skeleton />}>
      <Preview
        message={{
          ...inLayouts(campaign as Drawn, { header, footer }),
          mergeDefaults: campaign.mergeDefaults ?? {},
          sender: team.data,
        }}
      />
    </Suspense>
  )
}
