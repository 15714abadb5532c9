// Runs before the first paint, so that the page never shows the other theme first.
const choice = localStorage.getItem("theme")
const dark = choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
document.documentElement.classList.toggle("dark", dark)

// The router cannot decode a path with a malformed escape, so each `%` of it stands for itself.
try {
  decodeURIComponent(location.pathname)
} catch {
  const path = location.pathname.replaceAll("%", "%25")
  history.replaceState(history.state, "", path + location.search + location.hash)
}

/** What each page reads first. The session comes before the pages that need one. */
const CALLS = {
  "/": ["/overview", "/emails?limit=100"],
  "/start": ["/domains?limit=100", "/installation"],
  "/emails": ["/emails?limit=100"],
  "/emails/$id": ["/emails/$id", "/emails/$id/explain"],
  "/recipients/$email": ["/recipients/$email"],
  "/metrics": [],
  "/threads": [
    "/threads?limit=100&state=open",
    "/inboxes?limit=100",
    "/received-emails?limit=100&read=false&kind=message&kind=autoReply",
  ],
  "/threads/$id": ["/threads/$id", "/threads/$id/messages?limit=100", "/inboxes?limit=100"],
  "/inbox/{-$id}": ["/inbox?limit=100"],
  "/suppressions": ["/suppressions?limit=100"],
  "/campaigns": ["/campaign-rows?limit=100"],
  "/campaigns/new": ["/contact-books?limit=100", "/domains?limit=100"],
  "/campaigns/$id": ["/campaigns/$id"],
  "/sequences": ["/sequence-rows?limit=100"],
  "/sequences/new": ["/contact-books?limit=100", "/domains?limit=100"],
  "/sequences/$id": ["/sequences/$id", "/sequences/$id/steps"],
  "/contacts": ["/contact-books?limit=100"],
  "/contacts/$id": ["/contact-books/$id", "/contact-books/$id/contacts?limit=100"],
  "/contacts/$id/import": ["/contact-books/$id"],
  "/forms": ["/forms?limit=100", "/contact-books?limit=100"],
  "/forms/$id": ["/forms/$id"],
  "/segments": ["/segments?limit=100", "/contact-books?limit=100"],
  "/segments/$id": ["/segments/$id"],
  "/topics": ["/topics?limit=100"],
  "/templates": ["/templates?limit=100"],
  "/templates/new": [],
  "/templates/$id": ["/templates/$id/draft"],
  "/layouts": ["/layouts?limit=100"],
  "/layouts/$id": ["/layouts/$id"],
  "/domains": ["/domains?limit=100"],
  "/domains/$id": ["/domains/$id", "/domains/$id/dns"],
  "/api-keys": ["/api-keys?limit=100"],
  "/refused-calls": ["/refused-calls?limit=100"],
  "/webhooks": ["/webhooks?limit=100", "/webhook-health"],
  "/webhooks/$id": ["/webhooks/$id", "/webhook-health"],
  "/deliveries/$id": ["/deliveries/$id"],
  "/team": ["/members?limit=100"],
  "/audit-log": ["/audit-log?limit=100"],
  "/settings": ["/team"],
  "/account": ["/profile", "/passkeys", "/sessions"],
}

const API = "/dashboard/api"
const KEPT_MS = 10_000
const parts = location.pathname.replace(/^\/dashboard|\/$/g, "").split("/")
const isAt = (route) => {
  const names = route.replace(/\/$/, "").split("/")
  return (
    parts.length <= names.length &&
    names.every(
      (name, index) =>
        name === parts[index] || name[0] === "{" || (name[0] === "$" && parts[index]),
    )
  )
}
/** "/campaigns/new" stands before "/campaigns/$id". A part in braces may be absent. */
const routeIn = (table) => Object.keys(table).find(isAt)

const team = sessionStorage.getItem("team") ?? localStorage.getItem("team")
const ask = (path) => {
  const reply = fetch(API + path, { headers: team ? { "x-team-id": team } : {} })
  // Whoever takes it sees the error.
  reply.catch(() => {})
  return [API + path, reply]
}
const route = routeIn(CALLS)
if (route && localStorage.getItem("signed-in")) {
  const own = location.search ? [] : CALLS[route]
  const id = encodeURIComponent(decodeURIComponent(parts[2] ?? ""))
  const calls = ["/session", ...own.map((path) => path.replace(/\$\w+/, id))]
  globalThis.firstCalls = new Map(calls.map(ask))
  setTimeout(() => globalThis.firstCalls.clear(), KEPT_MS)
}

// The build writes the scripts of each route into the page.
const { files = [], pages = {} } = JSON.parse(document.currentScript.dataset.scripts ?? "{}")
for (const index of pages[routeIn(pages)] ?? []) {
  const link = document.createElement("link")
  link.rel = "modulepreload"
  link.href = `/dashboard/assets/${files[index]}`
  document.head.append(link)
}

const LOOK_EVERY_MS = 2_000
// Without its main script the page has nothing to show. After a deployment its name may be another.
const tryAgain = async ({ target }) => {
  if (!(target instanceof HTMLScriptElement)) return
  const bar = document.createElement("p")
  bar.role = "status"
  bar.className = "px-4 py-2 text-delayed"
  bar.textContent = "Connection lost. Trying again…"
  document.body.append(bar)
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    const reply = await fetch(target.src, { cache: "reload" }).catch(() => null)
    if (reply && reply.status < 500) return location.reload()
  }
}
addEventListener("error", tryAgain, true)
