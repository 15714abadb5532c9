import { useQuery } from "@tanstack/react-query"
import { Search } from "lucide-react"
import { type KeyboardEvent, useId, useState } from "react"
import type { Email } from "../../../../client/types.ts"
import { domainsQuery } from "../../../api/queries.ts"
import { cx } from "../../../ui/cx.ts"
import { TextInput } from "../../../ui/form/field.tsx"
import { type Suggestion, suggest, withSuggestion } from "./suggestions.ts"

interface Props {
  text: string
  /** The emails that are shown: their tags and domains are suggested. */
  emails: readonly Email[]
  onType(text: string): void
  onSearch(text: string): void
}

/** Suggests filters and their values for the word that is typed. */
export function SearchInput({ text, emails, onType, onSearch }: Props) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const { data } = useQuery({ ...domainsQuery, enabled: isOpen })
  const suggestions = isOpen ? suggest(text, { emails, domains: data?.data ?? [] }) : []
  const optionId = (index: number) => `${id}-${index}`
  const close = () => {
    setOpen(false)
    setActive(-1)
  }
  const choose = (suggestion: Suggestion) => {
    const next = withSuggestion(text, suggestion)
    setActive(-1)
    if (suggestion.token.endsWith(":")) return onType(next)
    close()
    onSearch(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = suggestions[active]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && suggestions.length > 0) {
      event.preventDefault()
      // One place more than there are suggestions: in the text itself.
      const places = suggestions.length + 1
      setActive(((active + 1 + step + places) % places) - 1)
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault()
      choose(chosen)
    } else if (event.key === "Escape" && suggestions.length > 0) {
      event.preventDefault()
      close()
    }
  }
  return (
    <form
      className="relative min-w-0 flex-1"
      onSubmit={(event) => {
        event.preventDefault()
        close()
        onSearch(text)
      }}
    >
      <Search size={14} aria-hidden className="absolute top-2.25 left-2.5 text-muted" />
      <TextInput
        type="search"
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active < 0 ? undefined : optionId(active)}
        className="pl-8"
        aria-label="Search emails"
        placeholder="Search people, subjects, IDs or status:bounced"
        value={text}
        onChange={(event) => {
          onType(event.target.value)
          setOpen(true)
          setActive(-1)
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div
        role="listbox"
        id={`${id}-list`}
        aria-label="Suggestions"
        hidden={suggestions.length === 0}
        className="absolute top-9 left-0 z-50 min-w-72 max-w-full rounded-lg bg-raised p-1 shadow-float"
      >
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text has the keys
          <div
            role="option"
            key={suggestion.token}
            id={optionId(index)}
            aria-selected={index === active}
            className={cx(
              "flex cursor-default justify-between gap-4 rounded-md px-2 py-1.5 hover:bg-sunken",
              index === active && "bg-sunken",
            )}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(suggestion)}
          >
            <span className="truncate">{suggestion.token}</span>
            <span className="truncate text-muted">{suggestion.label}</span>
          </div>
        ))}
      </div>
    </form>
  )
}
