import { useEffect, useRef, useState } from "react"
import { useFilters } from "../../app/params.ts"
import { TextInput } from "../form/field.tsx"

const TYPING_MS = 300

interface Props {
  label: string
  placeholder: string
  className?: string
  maxLength?: number
}

/** The filter `q` of a page: it follows the typing, and the box follows links and the history. */
export function SearchField({ label, ...input }: Props) {
  const [{ q = "" }, setFilters] = useFilters()
  const [text, setText] = useState(q)
  const searched = useRef(q)
  useEffect(() => {
    if (q === searched.current) return
    searched.current = q
    setText(q)
  }, [q])
  useEffect(() => {
    const next = text.trim()
    if (next === searched.current) return
    const timer = setTimeout(() => {
      searched.current = next
      setFilters({ q: next }, true)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, setFilters])
  return (
    <TextInput
      {...input}
      type="search"
      aria-label={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
