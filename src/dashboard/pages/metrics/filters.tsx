import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Filters } from "../../app/params.ts"
import { TextInput } from "../../ui/form/field.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { choicesQuery, RANGES, type RangeName } from "./data.ts"

const IS_TAG = /^[A-Za-z0-9_-]{1,64}:/

interface Props {
  range: RangeName
  chosen: Filters
  onChange(changes: Filters): void
}

interface Choice {
  id: string
  name: string
}

export function MetricsFilters({ range, chosen, onChange }: Props) {
  const { data } = useQuery(choicesQuery)
  const select = (label: string, name: string, any: string, choices: readonly Choice[] = []) => {
    const value = chosen[name] ?? ""
    const isListed = value === "" || choices.some(({ id }) => id === value)
    return (
      <Select
        aria-label={label}
        className="w-44! max-sm:w-full!"
        value={value}
        onChange={(id) => onChange({ [name]: id })}
        options={[
          ["", any],
          ...choices.map(({ id, name }) => [id, name] as const),
          ...(isListed ? [] : [[value, value] as const]),
        ]}
      />
    )
  }
  return (
    <search className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2">
      <Select
        aria-label="Range"
        className="w-40! max-sm:w-full!"
        value={range}
        onChange={(next) => onChange({ range: next })}
        options={RANGES}
      />
      {select("Domain", "domain", "All domains", data?.domains)}
      {select("Template", "template", "All templates", data?.templates)}
      {select("Campaign", "campaign", "All campaigns", data?.campaigns)}
      <TagInput tag={chosen.tag ?? ""} onChange={(tag) => onChange({ tag })} />
    </search>
  )
}

function TagInput({ tag, onChange }: { tag: string; onChange(tag: string): void }) {
  const [text, setText] = useState(tag)
  useEffect(() => setText(tag), [tag])
  const isWrong = text !== "" && !IS_TAG.test(text)
  return (
    <form
      className="max-sm:col-span-full"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWrong) onChange(text)
      }}
    >
      <TextInput
        type="search"
        aria-label="Tag"
        aria-invalid={isWrong}
        className="w-44! max-sm:w-full!"
        placeholder="Tag, such as plan:pro"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          if (event.target.value === "" && tag) onChange("")
        }}
        onBlur={() => !isWrong && text !== tag && onChange(text)}
      />
    </form>
  )
}
