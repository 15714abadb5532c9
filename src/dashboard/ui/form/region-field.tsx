import type { UseFormReturn } from "react-hook-form"
import { SelectField } from "../menu/select.tsx"

/** A select has no empty value. */
const ANYWHERE = "any"

export type Jurisdictions = readonly (string | null)[]

interface Values {
  jurisdiction: string | undefined
}

/** Where a new team's data is kept, if there is a choice. */
export function RegionField<T extends Values>({
  jurisdictions,
  form,
}: {
  jurisdictions: Jurisdictions
  form: UseFormReturn<T>
}) {
  const { formState, setValue, watch } = form as unknown as UseFormReturn<Values>
  if (jurisdictions.length < 2) return null
  return (
    <SelectField
      label="Region"
      hint="Where the team's data is kept. You cannot change it later."
      error={formState.errors.jurisdiction?.message}
      value={watch("jurisdiction") ?? ANYWHERE}
      onChange={(chosen) => setValue("jurisdiction", chosen === ANYWHERE ? undefined : chosen)}
      options={jurisdictions.map((one) => [one ?? ANYWHERE, nameOf(one)] as const)}
    />
  )
}

const NAMES: Record<string, string> = {
  eu: "European Union",
  us: "United States",
  fedramp: "FedRAMP",
}

const nameOf = (jurisdiction: string | null): string =>
  jurisdiction === null ? "No fixed region" : (NAMES[jurisdiction] ?? jurisdiction)
