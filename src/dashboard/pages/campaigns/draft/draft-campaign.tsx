import { useQuery } from "@tanstack/react-query"
import { type ComponentProps, Suspense, useMemo, useState } from "react"
import type { Campaign, Contact, ContactBook, Domain } from "../../../../client/types.ts"
import { campaignBlocks } from "../../../../worker/campaigns/blocks/contract.ts"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import { type Team, teamQuery } from "../../../api/queries.ts"
import { lazy } from "../../../app/lazy.ts"
import { Link } from "../../../app/link.tsx"
import { Badge } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Page } from "../../../ui/page.tsx"
import { saveRequest } from "../../../ui/request/request-of.ts"
import { Skeleton } from "../../../ui/waiting.tsx"
import { BlockCanvas } from "../../blocks/canvas/canvas.tsx"
import { Fold } from "../../blocks/canvas/fold.tsx"
import { useLoads } from "../../blocks/draft/other-tabs.ts"
import { SaveState } from "../../blocks/draft/save-state.tsx"
import { branded } from "../../blocks/look/branded.ts"
import { ThemeForm } from "../../blocks/look/theme-form.tsx"
import { CampaignMenu } from "../campaign-menu.tsx"
import {
  booksQuery,
  domainsQuery,
  fieldsOf,
  type Layout,
  layoutsQuery,
  sampleQuery,
} from "../data.ts"
import { Paused } from "../sent/paused.tsx"
import { stateOf } from "../words.ts"
import { PreviewAs, useMessage, WriteOrPreview } from "./draft-parts.tsx"
import { Envelope } from "./envelope.tsx"
import { DefaultValues, Options } from "./options.tsx"
import { useDraft } from "./use-draft.ts"

const SendDialog = lazy(() => import("./send-dialog.tsx"))

interface Around {
  books: ContactBook[]
  domains: Domain[]
  layouts: Layout[]
  team: Team
}

export default function DraftCampaign({ campaign }: { campaign: Campaign }) {
  const loads = useLoads()
  const books = useQuery(booksQuery)
  const domains = useQuery(domainsQuery)
  const layouts = useQuery(layoutsQuery)
  const team = useQuery(teamQuery)
  const failed = [books, domains, layouts, team].find(({ error }) => error)
  if (books.data && domains.data && layouts.data && team.data) {
    const around = { books: books.data, domains: domains.data, layouts: layouts.data }
    return (
      <CampaignEditor
        key={loads.key}
        campaign={campaign}
        {...around}
        team={team.data}
        onOld={loads.onOld}
      />
    )
  }
  return (
    <Page title={campaign.name}>
      {failed ? (
        <ErrorBox error={failed.error} retry={() => failed.refetch()} />
      ) : (
        <Skeleton lines={10} />
      )}
    </Page>
  )
}

function CampaignEditor({
  campaign,
  books,
  domains,
  layouts,
  team,
  onOld,
}: Around & { campaign: Campaign; onOld(): void }) {
  const draft = useDraft(campaign, domains, onOld)
  const { content, value, update, saving } = draft
  const sample = useQuery(sampleQuery(content.bookId)).data ?? NONE
  const fields = useMemo(
    () => fieldsOf(sample, content.mergeDefaults),
    [sample, content.mergeDefaults],
  )
  const [reviewing, setReviewing] = useState(false)
  // A change makes the campaign a draft, but somebody may want the time that it had.
  const [plannedFor] = useState(campaign.scheduledAt)
  const [shown, setShown] = useState<"write" | "preview">("write")
  const message = useMessage(value, layouts, team)
  const shared = { content, update, invalid: saving.invalid, layouts, team, fields }
  const { brand } = team
  const applyBrand =
    brand === null
      ? undefined
      : () => update(branded(content, brand as Brand, team.name), "use the brand")
  const review = async () => {
    await saving.flush()
    setReviewing(true)
  }
  return (
    <Page
      wide
      title={campaign.name}
      above={<Link to="/campaigns">Campaigns</Link>}
      about={
        <span className="flex flex-wrap items-center gap-4">
          <Badge {...stateOf(campaign)} />
          {campaign.status === "scheduled" && <span>Changes turn it back into a draft.</span>}
          <SaveState saving={saving} />
        </span>
      }
      actions={
        <>
          <Button kind="primary" onClick={review}>
            Review and send
          </Button>
          <CampaignMenu
            campaign={campaign}
            request={saveRequest("/campaigns", "campaigns", campaign, value)}
          />
        </>
      }
    >
      {saving.error !== null && <ErrorBox error={saving.error} retry={saving.flush} />}
      <Paused campaign={campaign} />
      <WriteOrPreview shown={shown} onShow={setShown} />
      {shown === "preview" ? (
        <PreviewAs message={message} sample={sample} />
      ) : (
        <>
          <Envelope {...shared} campaign={campaign} books={books} domain={draft.domain} />
          <BlockCanvas
            blocks={content.drafts}
            schema={campaignBlocks}
            theme={message.theme}
            before={message.header}
            after={message.footer}
            sender={team}
            history={draft}
            mergeFields={fields}
            onChange={(next, step) =>
              draft.change((now) => ({ ...now, drafts: next(now.drafts) }), step)
            }
            aside={<Settings {...shared} onUseBrand={applyBrand} />}
          />
        </>
      )}
      <Suspense>
        {reviewing && (
          <SendDialog
            campaign={campaign}
            draft={draft}
            message={message}
            sample={sample}
            plannedFor={plannedFor}
            onClose={() => setReviewing(false)}
          />
        )}
      </Suspense>
    </Page>
  )
}

type SettingsProps = ComponentProps<typeof Options> &
  ComponentProps<typeof DefaultValues> &
  Pick<ComponentProps<typeof ThemeForm>, "onUseBrand">

/** What belongs to the message as a whole. */
function Settings(props: SettingsProps) {
  const { content, update, onUseBrand } = props
  return (
    <>
      <Fold title="Theme">
        <ThemeForm
          theme={content.theme}
          onUseBrand={onUseBrand}
          onChange={(theme, step) => update({ theme }, step)}
        />
      </Fold>
      <Fold title="Default values">
        <DefaultValues {...props} />
      </Fold>
      <Fold title="Layouts, tracking and gradual start">
        <Options {...props} />
      </Fold>
    </>
  )
}

const NONE: readonly Contact[] = []
