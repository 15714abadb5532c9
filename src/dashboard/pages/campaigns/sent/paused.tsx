import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Campaign } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { isNotFound } from "../../../api/queries.ts"
import { Button } from "../../../ui/button.tsx"
import { TaskButton } from "../../../ui/task-button.tsx"
import { bookQuery } from "../../contacts/data.ts"
import { domainQuery } from "../../domains/data.ts"
import { keep } from "../actions.ts"
import { isHandedOver } from "../words.ts"

/** Whether emails of the campaign can be in the queue. */
export const mayPause = (campaign: Campaign) =>
  !campaign.pausedReason &&
  (campaign.status === "sending" || (campaign.status === "sent" && !isHandedOver(campaign)))

export const PauseButton = ({ id }: { id: string }) => (
  <TaskButton run={() => api.campaigns.pause(id).then(keep)}>Pause</TaskButton>
)

/** Why a campaign waits for a person. */
export function Paused({ campaign }: { campaign: Campaign }) {
  const { id, status, pausedReason } = campaign
  if (!pausedReason) return null
  if (status === "draft") {
    return (
      <Notice title="Not sent on time">
        <p className="wrap-anywhere">{pausedReason} Fix this, then review and send it again.</p>
      </Notice>
    )
  }
  return (
    <Notice title="Paused">
      <p className="wrap-anywhere">{pausedReason}</p>
      <TaskButton className="justify-self-start" run={() => api.campaigns.resume(id).then(keep)}>
        Resume sending
      </TaskButton>
    </Notice>
  )
}

/** What has gone since a campaign was scheduled. */
export function CannotBeSent({ campaign, onEdit }: { campaign: Campaign; onEdit(): void }) {
  const book = useQuery(bookQuery(campaign.bookId))
  const domain = useQuery(domainQuery(campaign.domainId))
  const problems = [
    isNotFound(book.error) && "The contact book was deleted.",
    isNotFound(domain.error) && "The sending domain was deleted.",
    domain.data && domain.data.status !== "verified" && `${domain.data.name} is not verified.`,
  ].filter(Boolean)
  if (problems.length === 0) return null
  return (
    <Notice title="This campaign cannot be sent">
      <p className="wrap-anywhere">
        {problems.join(" ")} Fix this before the scheduled time, or it becomes a draft again.
      </p>
      <Button className="justify-self-start" onClick={onEdit}>
        Edit campaign
      </Button>
    </Notice>
  )
}

const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <div role="alert" className="grid gap-2 rounded-md border border-delayed/40 p-4">
    <p className="font-medium text-delayed">{title}</p>
    {children}
  </div>
)
