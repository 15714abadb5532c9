import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { Campaign } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { isNotFound } from "../../../api/queries.ts"
import { lazy } from "../../../app/lazy.ts"
import { Link } from "../../../app/link.tsx"
import { useTab } from "../../../app/params.ts"
import { Badge } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { Confirm } from "../../../ui/dialog/dialog.tsx"
import { Card, Facts, Page, Section } from "../../../ui/page.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { requestOf } from "../../../ui/request/request-of.ts"
import { Tabs } from "../../../ui/tabs.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { say } from "../../../ui/toast.tsx"
import { Skeleton } from "../../../ui/waiting.tsx"
import { bookQuery } from "../../contacts/data.ts"
import { segmentQuery } from "../../segments/data.ts"
import { topicsQuery } from "../../topics/data.ts"
import { keep } from "../actions.ts"
import { CampaignMenu } from "../campaign-menu.tsx"
import { inZone, stateOf } from "../words.ts"
import { FrozenPreview } from "./frozen-preview.tsx"
import { CannotBeSent, mayPause, PauseButton, Paused } from "./paused.tsx"
import { Counts, Progress, useLiveCampaign } from "./progress.tsx"
import { Results } from "./results.tsx"

const CampaignMetrics = lazy(() => import("../../metrics/campaign-metrics.tsx"))

interface Props {
  campaign: Campaign
  onEdit(): void
}

/** A campaign that is not a draft: its schedule, its progress and its results. */
export default function Report({ campaign, onEdit }: Props) {
  useLiveCampaign(campaign)
  const tab = useTab("Recipients")
  const waits = campaign.status === "scheduled"
  return (
    <Page
      title={campaign.name}
      above={<Link to="/campaigns">Campaigns</Link>}
      about={<Badge {...stateOf(campaign)} />}
      actions={
        <>
          <Actions campaign={campaign} onEdit={onEdit} />
          <CampaignMenu
            campaign={campaign}
            request={requestOf("GET", `/campaigns/${campaign.id}`, "campaigns.get", campaign.id)}
          />
        </>
      }
    >
      <Paused campaign={campaign} />
      {waits && <CannotBeSent campaign={campaign} onEdit={onEdit} />}
      {!waits && <Progress campaign={campaign} />}
      {!waits && <Counts campaign={campaign} />}
      <CampaignFacts campaign={campaign} />
      {waits ? (
        <Section title="Message">
          <FrozenPreview campaign={campaign} />
        </Section>
      ) : (
        <Tabs
          label="Campaign"
          {...tab}
          tabs={[
            { name: "Recipients", children: <Results campaign={campaign} /> },
            {
              name: "Opens and clicks",
              children: (
                <Suspense fallback={<Skeleton />}>
                  <CampaignMetrics campaign={campaign} />
                </Suspense>
              ),
            },
            { name: "Message", children: <FrozenPreview campaign={campaign} /> },
          ]}
        />
      )}
    </Page>
  )
}

function CampaignFacts({ campaign }: { campaign: Campaign }) {
  const book = useQuery(bookQuery(campaign.bookId))
  const segment = useQuery({
    ...segmentQuery(campaign.segmentId ?? ""),
    enabled: campaign.segmentId !== null,
  })
  const topics = useQuery({ ...topicsQuery, enabled: campaign.topicId !== null })
  return (
    <Card>
      <Facts
        facts={[
          campaign.status === "scheduled" &&
            campaign.scheduledAt !== null && [
              "Scheduled for",
              <>
                {inZone(campaign.scheduledAt)}, <Time at={campaign.scheduledAt} />
              </>,
            ],
          campaign.sentAt !== null && ["Sent", <Time key="sent" at={campaign.sentAt} />],
          ["Subject", campaign.subject],
          ["From", campaign.from],
          [
            "Contact book",
            isNotFound(book.error) ? (
              "Deleted"
            ) : (
              <Link key="book" to={`/contacts/${campaign.bookId}`} className="underline">
                {book.data?.name ?? campaign.bookId}
              </Link>
            ),
          ],
          campaign.segmentId !== null && [
            "Segment",
            isNotFound(segment.error) ? (
              "Deleted"
            ) : (
              <Link key="segment" to={`/segments/${campaign.segmentId}`} className="underline">
                {segment.data?.name ?? campaign.segmentId}
              </Link>
            ),
          ],
          campaign.topicId !== null && [
            "Topic",
            topics.data?.find(({ id }) => id === campaign.topicId)?.name ??
              (topics.isSuccess ? "Deleted" : "…"),
          ],
          ["ID", <Mono key="id" text={campaign.id} copy />],
        ]}
      />
    </Card>
  )
}

/** The actions of each status. */
function Actions({ campaign, onEdit }: Props) {
  const [cancelling, setCancelling] = useState(false)
  const [sending, setSending] = useState(false)
  const { id, status, name } = campaign
  const waits = status === "scheduled"
  return (
    <>
      {waits && (
        <Button kind="primary" onClick={() => setSending(true)}>
          Send now
        </Button>
      )}
      {waits && <Button onClick={onEdit}>Edit</Button>}
      {mayPause(campaign) && <PauseButton id={id} />}
      {(waits || status === "sending") && (
        <Button kind="danger" onClick={() => setCancelling(true)}>
          Cancel campaign
        </Button>
      )}
      <Confirm
        open={cancelling}
        onOpenChange={setCancelling}
        title="Cancel campaign"
        description="Cancels queued emails. Emails already sent cannot be recalled."
        action="Cancel campaign"
        keep="Keep campaign"
        typed={name}
        onConfirm={async () => {
          keep(await api.campaigns.cancel(id))
          say("Campaign cancelled")
        }}
      />
      <Confirm
        open={sending}
        onOpenChange={setSending}
        kind="primary"
        title="Send now"
        description="Sends now instead of at the scheduled time. Emails already sent cannot be recalled."
        action="Send campaign now"
        typed={name}
        onConfirm={async () => {
          keep(await api.campaigns.sendNow(id))
          say("Campaign is being sent")
        }}
      />
    </>
  )
}
