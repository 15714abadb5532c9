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
    /** A part of the value: the component is drawn again only when that part changes. */
    useSome: <S>(choose: (value: T) => S) => useSyncExternalStore(follow, () => choose(value)),
  }
}
