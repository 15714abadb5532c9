import { callAuth } from "../api/api.ts"
import { queries } from "../api/queries.ts"
import { chosenTeam, signedIn } from "../api/session.ts"
import { loadCode } from "./load-code.ts"

/** Ends the session. What somebody wrote does not stay in the browser. */
export async function signOut() {
  const { clearReplies } = await loadCode(() => import("../pages/threads/replies.ts"))
  await clearReplies()
  await callAuth({ method: "POST", path: "/sign-out", body: {} })
  queries.clear()
  signedIn.forget()
  chosenTeam.forget()
  location.assign("/dashboard/sign-in")
}
