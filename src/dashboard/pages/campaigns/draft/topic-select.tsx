import { useQuery } from "@tanstack/react-query"
import { SelectField } from "../../../ui/menu/select.tsx"
import { topicsQuery } from "../../topics/data.ts"

interface Props {
  topicId: string | null
  hint: string
  /** What the choice of none means. */
  none: string
  update(changes: { topicId: string | null }): void
}

/** Shown once the team has a topic. */
export function TopicSelect({ topicId, hint, none, update }: Props) {
  const { data: topics } = useQuery(topicsQuery)
  if (!topics || (topics.length === 0 && topicId === null)) return null
  const isGone = topicId !== null && !topics.some(({ id }) => id === topicId)
  return (
    <SelectField
      label="Topic"
      hint={hint}
      error={isGone ? "This topic was deleted" : undefined}
      value={topicId ?? ""}
      onChange={(topicId) => update({ topicId: topicId || null })}
      options={[
        ["", none],
        ...(isGone ? [[topicId, "Deleted topic"] as const] : []),
        ...topics.map(({ id, name }) => [id, name] as const),
      ]}
    />
  )
}
