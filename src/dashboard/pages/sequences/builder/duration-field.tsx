import { Field, TextInput } from "../../../ui/form/field.tsx"
import { Select } from "../../../ui/menu/select.tsx"

interface Props {
  label: string
  /** `3d`, `2h`, `30m`. */
  value: string
  onChange(value: string): void
  error: string | undefined
}

/** A number and its unit. */
export function DurationField({ label, value, onChange, error }: Props) {
  const unit = /[dhm]$/.exec(value)?.[0] ?? "d"
  const amount = value.replace(/[dhm]$/, "")
  return (
    <Field label={label} error={error && (amount === "" ? "Enter a number" : error)}>
      {(control) => (
        <span className="flex gap-2">
          <TextInput
            {...control}
            inputMode="numeric"
            className="max-w-24"
            value={amount}
            onChange={({ target }) => onChange(`${target.value.replaceAll(/\D/g, "")}${unit}`)}
          />
          <Select
            aria-label={`Unit of ${label.toLowerCase()}`}
            className="max-w-32"
            value={unit}
            onChange={(unit) => onChange(`${amount}${unit}`)}
            options={[
              ["m", "minutes"],
              ["h", "hours"],
              ["d", "days"],
            ]}
          />
        </span>
      )}
    </Field>
  )
}
