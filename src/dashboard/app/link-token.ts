import { store } from "../store.ts"

const token = store("")

/** The token of a link in mail leaves the address bar, and so the history, before it is used. */
function take() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")
  if (!found) return
  history.replaceState(history.state, "", location.pathname + location.search)
  token.set(found)
}

take()
addEventListener("hashchange", take)

/** The token of the link that opened this page; empty without one. */
export const useLinkToken = token.use
