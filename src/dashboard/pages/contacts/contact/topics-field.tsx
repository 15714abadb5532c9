import { useQuery } from "@tanstack/react-query"
import { SelectField } from "../../../ui/menu/select.tsx"
import { topicsQuery } from "../../topics/data.ts"

type Choices = Record<string, boolean>

interface Props {
  value: Choices
  onChange(choices: Choices): void
}

/** The choice of a contact for each topic of the team. */
export function TopicsField({ value, onChange }: Props) {
  const { data: topics = [] } = useQuery(topicsQuery)
  if (topics.length === 0) return null
  const choose = (id: string, choice: string) => {
    const { [id]: _, ...others } = value
    onChange(choice === "" ? others : { ...others, [id]: choice === "true" })
  }
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-medium">Topics</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {topics.map(({ id, name, default: byDefault }) => (
          <SelectField
            key={id}
            label={name}
            value={String(value[id] ?? "")}
            onChange={(choice) => choose(id, choice)}
            options={[
              ["", `Not chosen: ${byDefault}`],
              ["true", "Subscribed"],
              ["false", "Unsubscribed"],
            ]}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** The members of a PATCH that turn one into the other. */
export const choiceChanges = (before: Choices, after: Choices) =>
  Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((id) => before[id] !== after[id])
      .map((id) => [id, after[id] ?? null]),
  )
