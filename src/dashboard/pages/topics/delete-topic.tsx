import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Topic } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"

export function DeleteTopic({ topic, onDeleted }: { topic: Topic; onDeleted(): void }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="danger" className="mr-auto" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title="Delete topic"
        description="Recipients’ choices for this topic are deleted too. This cannot be undone."
        action="Delete topic"
        typed={topic.name}
        onConfirm={async () => {
          await api.topics.remove(topic.id)
          refresh("campaigns", "contacts")
          say("Topic deleted")
          onDeleted()
        }}
      >
        {open && <Stopped topic={topic} />}
      </Confirm>
    </>
  )
}

/** What the deletion does to campaigns. */
function Stopped({ topic }: { topic: Topic }) {
  const { data = [] } = useQuery({
    queryKey: ["campaigns", "of-topic", topic.id],
    queryFn: async () => {
      const pages = await Promise.all(
        (["scheduled", "sending"] as const).map((status) =>
          api.campaigns.list({ status, limit: 100 }),
        ),
      )
      return pages.flatMap(({ data }) => data).filter(({ topicId }) => topicId === topic.id)
    },
    staleTime: 0,
  })
  const count = (status: string) => data.filter((campaign) => campaign.status === status).length
  const lines = [
    count("scheduled") > 0 &&
      `${counted(count("scheduled"), "scheduled campaign")} of this topic will be a draft again.`,
    count("sending") > 0 &&
      `${counted(count("sending"), "campaign")} of this topic will stop. Recipients not reached yet get nothing.`,
  ].filter(Boolean)
  if (lines.length === 0) return null
  return (
    <div className="grid gap-2 rounded-md border border-delayed/40 p-3 text-delayed">
      {lines.map((line) => (
        <p key={String(line)}>{line}</p>
      ))}
    </div>
  )
}
