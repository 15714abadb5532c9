import { allPlaces } from "../pages/threads/reply-places.ts"
import { loadCode } from "./load-code.ts"

/** Sends what an earlier tab could not. Without replies, their code is not loaded. */
export async function sendLeftReplies() {
  if (allPlaces().length === 0) return
  const { sendLeftReplies } = await loadCode(() => import("../pages/threads/replies.ts"))
  sendLeftReplies()
}
