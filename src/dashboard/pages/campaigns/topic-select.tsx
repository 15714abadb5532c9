import { useQuery } from "@tanstack/react-query"
import { SelectField } from "../../ui/select.tsx"
import { topicsQuery } from "../topics/data.ts"
import type { Content, Update } from "./use-draft.ts"

/** Shown once the team has a topic. */
export function TopicSelect({
  content: { topicId },
  update,
}: {
  content: Content
  update: Update
}) {
  const { data: topics } = useQuery(topicsQuery)
  if (!topics || (topics.length === 0 && topicId === null)) return null
  const isGone = topicId !== null && !topics.some(({ id }) => id === topicId)
  return (
    <SelectField
      label="Topic"
      hint="Only subscribed contacts who want this topic get the campaign."
      error={isGone ? "This topic was deleted" : undefined}
      value={topicId ?? ""}
      onChange={(topicId) => update({ topicId: topicId || null })}
      options={[
        ["", "None: all subscribed contacts"],
        ...(isGone ? [[topicId, "Deleted topic"] as const] : []),
        ...topics.map(({ id, name }) => [id, name] as const),
      ]}
    />
  )
}
