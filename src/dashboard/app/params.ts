import { useParams, useRouter, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

/** A parameter of the page's path, such as `id` of `/emails/$id`. */
export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>
  return params[name] ?? ""
}

/** Which tab of a page is open. The first one has no place in the URL. */
export function useTab(first: string): { shown: string; onShow(name: string): void } {
  const [{ tab = first }, setFilters] = useFilters()
  return {
    shown: tab,
    onShow: (name) => setFilters({ tab: name === first ? undefined : name }),
  }
}

export type Filters = Record<string, string | undefined>

interface Step {
  /** The filters that this step of the history has set, and that were not set before. */
  sets?: string
}

/**
 * The filters of a page live in its URL, so that a page can be shared and gone back to. Each change
 * is a step of the history, unless it follows somebody's typing. Clearing the filters that the last
 * step has set takes the step back, as closing a dialog does.
 */
export function useFilters(): [Filters, (changes: Filters, isTyped?: boolean) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const router = useRouter()
  const filters = Object.fromEntries(
    Object.entries(search).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  )
  const change = useCallback(
    (changes: Filters, isTyped = false) => {
      const names = Object.keys(changes).join()
      const { sets } = router.history.location.state as Step
      const isClearing = !Object.values(changes).some(Boolean)
      if (isClearing && sets === names) return router.history.back()
      const before = router.state.location.search as Record<string, unknown>
      const next = Object.entries({ ...before, ...changes }).filter(([, value]) => value)
      const isNew = !isTyped && Object.keys(changes).every((name) => !before[name])
      router.navigate({
        to: ".",
        search: Object.fromEntries(next) as never,
        replace: isTyped || isClearing,
        state: (!isClearing && isNew ? { sets: names } : {}) as never,
      })
    },
    [router],
  )
  return [filters, change]
}
