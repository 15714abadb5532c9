import { useEffect, useState } from "react"
import type { Email } from "../../../../client/types.ts"
import type { Filters } from "../../../app/params.ts"
import { FilterButton } from "./filter-button.tsx"
import { FilterChips } from "./filter-chips.tsx"
import { type Chip, readQuery, writeQuery } from "./query.ts"
import { SearchInput } from "./search-input.tsx"

interface Props {
  q: string
  /** The emails that are shown. */
  emails: readonly Email[]
  onChange(changes: Filters): void
}

export function SearchBox({ q, emails, onChange }: Props) {
  const { chips, words } = readQuery(q)
  const [text, setText] = useState(words)
  useEffect(() => setText(words), [words])
  const search = (chips: readonly Chip[], text: string) => {
    const read = readQuery(writeQuery(chips, text))
    setText(read.words)
    onChange({ q: writeQuery(read.chips, read.words) })
  }
  const filter = (chips: readonly Chip[]) => search(chips, text)
  return (
    <search className="flex flex-wrap gap-2">
      <SearchInput
        text={text}
        emails={emails}
        onType={setText}
        onSearch={(text) => search(chips, text)}
      />
      <FilterButton chips={chips} onChange={filter} />
      <FilterChips chips={chips} onChange={filter} />
    </search>
  )
}
