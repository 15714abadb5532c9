import { useSyncExternalStore } from "react"

let token = ""
const watchers = new Set<() => void>()

/** The token of a link in mail leaves the address bar, and so the history, before it is used. */
function take() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")
  if (!found) return
  token = found
  history.replaceState(history.state, "", location.pathname + location.search)
  for (const watcher of watchers) watcher()
}

take()
addEventListener("hashchange", take)

/** The token of the link that opened this page; empty without one. */
export const useLinkToken = () =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => token,
  )
