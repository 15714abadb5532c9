import { callAuth } from "../api/api.ts"
import { queries } from "../api/queries.ts"
import { chosenTeam, signedIn } from "../api/session.ts"
import { loadCode } from "./load-code.ts"

const endThisSession = () => callAuth({ method: "POST", path: "/sign-out", body: {} })

/** What somebody wrote does not stay in the browser. */
export async function leaveSession(end: () => Promise<unknown> = endThisSession) {
  const { postHeld, clearReplies } = await loadCode(() => import("../pages/threads/replies.ts"))
  await postHeld()
  await end()
  signedIn.forget()
  chosenTeam.forget()
  await clearReplies()
}

export async function signOut(end?: () => Promise<unknown>) {
  await leaveSession(end)
  queries.clear()
  location.assign("/dashboard/sign-in")
}
