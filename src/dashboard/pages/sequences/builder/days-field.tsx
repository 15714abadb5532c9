import { DAY_NAMES } from "../words.ts"

type Day = keyof typeof DAY_NAMES

const ALL = Object.keys(DAY_NAMES) as Day[]

interface Props {
  /** Undefined: every day. */
  value: Day[] | undefined
  onChange(days: Day[] | undefined): void
}

/** Days of the week. */
export function DaysField({ value = ALL, onChange }: Props) {
  const toggle = (day: Day) => {
    const next = ALL.filter((one) => value.includes(one) !== (one === day))
    onChange(next.length === ALL.length ? undefined : next)
  }
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Days</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {ALL.map((day) => (
          <label key={day} className="flex items-center gap-1.5">
            <input
              type="checkbox"
              className="size-4 accent-primary"
              checked={value.includes(day)}
              onChange={() => toggle(day)}
            />
            <abbr title={DAY_NAMES[day]} className="no-underline">
              {DAY_NAMES[day].slice(0, 3)}
            </abbr>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
