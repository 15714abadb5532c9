import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

/** A parameter of the page's path, such as `id` of `/emails/$id`. */
export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>
  return params[name] ?? ""
}

export type Filters = Record<string, string | undefined>

/** The filters of a page live in its URL, so that a page can be shared and gone back to. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const filters = Object.fromEntries(
    Object.entries(search).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  )
  const change = useCallback(
    (changes: Filters) => {
      const next = (before: Record<string, unknown>) =>
        Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value))
      navigate({ to: ".", search: next as never, replace: true })
    },
    [navigate],
  )
  return [filters, change]
}
