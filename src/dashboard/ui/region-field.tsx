import { Field } from "./field.tsx"
import { Select } from "./select.tsx"

/** A select has no empty value. */
const ANYWHERE = "any"

export type Jurisdictions = readonly (string | null)[]

interface RegionFieldProps {
  jurisdictions: Jurisdictions
  value: string | undefined
  onChange(jurisdiction: string | undefined): void
  error: string | undefined
}

/** Where a new team's data is kept, if there is a choice. */
export function RegionField({ jurisdictions, value, onChange, error }: RegionFieldProps) {
  if (jurisdictions.length < 2) return null
  return (
    <Field
      label="Region"
      hint="Where the team's data is kept. You cannot change it later."
      error={error}
    >
      {(control) => (
        <Select
          {...control}
          value={value ?? ANYWHERE}
          onChange={(chosen) => onChange(chosen === ANYWHERE ? undefined : chosen)}
          options={jurisdictions.map((one) => [one ?? ANYWHERE, nameOf(one)] as const)}
        />
      )}
    </Field>
  )
}

const NAMES: Record<string, string> = {
  eu: "European Union",
  us: "United States",
  fedramp: "FedRAMP",
}

const nameOf = (jurisdiction: string | null): string =>
  jurisdiction === null ? "No fixed region" : (NAMES[jurisdiction] ?? jurisdiction)
