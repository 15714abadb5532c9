import { useSyncExternalStore } from "react"

/** A value outside of components, which can follow it. */
export function store<T>(value: T) {
  const watchers = new Set<() => void>()
  const follow = (watcher: () => void) => {
    watchers.add(watcher)
    return () => {
      watchers.delete(watcher)
    }
  }
  const get = () => value
  return {
    get,
    set(next: T) {
      value = next
      for (const watcher of watchers) watcher()
    },
    use: () => useSyncExternalStore(follow, get),
  }
}
