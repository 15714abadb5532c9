import { useId } from "react"
import { cx } from "../../ui/cx.ts"
import type { SequenceStarter } from "./starters/starter.ts"
import { SEQUENCE_STARTERS } from "./starters/starters.ts"

interface Props {
  empty: SequenceStarter
  value: string
  onChange(starter: SequenceStarter): void
}

/** Sequences to begin with. */
export default function StarterChoice({ empty, value, onChange }: Props) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">Start with</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {[empty, ...SEQUENCE_STARTERS].map((starter) => (
          <label
            key={starter.name}
            className={cx(
              "relative block min-w-0 cursor-pointer rounded-lg border bg-raised p-3 has-focus-visible:outline-2 has-focus-visible:outline-focus",
              starter.name === value && "ring-2 ring-focus",
            )}
          >
            <input
              type="radio"
              name={name}
              value={starter.name}
              checked={starter.name === value}
              onChange={() => onChange(starter)}
              className="sr-only"
            />
            <span className="block font-medium">{starter.name}</span>
            <span className="block text-xs text-muted">{starter.about}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
