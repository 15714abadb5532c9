import { useEffect, useState } from "react"
import { TextInput } from "../form/field.tsx"

interface Props {
  q: string
  label: string
  placeholder: string
  className?: string
  onSearch(q: string): void
}

/** A search that starts with Enter. The box follows links and the history. */
export function SearchForm({ q, label, placeholder, className, onSearch }: Props) {
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text.trim())
      }}
    >
      <TextInput
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  )
}
