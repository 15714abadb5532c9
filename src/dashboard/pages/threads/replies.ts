import { readJson } from "../../../lib/json.ts"
import { api, EdgepostError } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { chosenTeam } from "../../api/session.ts"
import { store } from "../../store.ts"
import { say, sayError } from "../../ui/toast.tsx"
import { allPlaces, placeOf } from "./reply-places.ts"

/** How long a reply can be taken back. */
const HELD_MS = 10_000

interface Reply {
  html: string
  /** The message that it answers. */
  receivedId?: string | undefined
  /** How many files it has. */
  files?: number
  /** Once it was sent: its idempotency key, and when it leaves. */
  sent?: { key: string; at: number }
}
type Replies = Readonly<Record<string, Reply>>

const place = () => placeOf(chosenTeam.get())
let known: { text: string; replies: Replies } = { text: "", replies: {} }

/** The same object until something changes. */
function read(): Replies {
  const text = localStorage.getItem(place()) ?? ""
  if (known.text !== text) known = { text, replies: (readJson(text) ?? {}) as Replies }
  return known.replies
}

const changes = store(0)
const tell = () => changes.set(changes.get() + 1)
addEventListener("storage", tell)

/** What this browser keeps until the server has it, by thread. It outlives the tab. */
export const useReply = (threadId: string) => changes.useSome(() => read()[threadId])

function keep(threadId: string, reply: Reply | null) {
  const { [threadId]: _, ...others } = read()
  const all = reply ? { ...others, [threadId]: reply } : others
  localStorage.setItem(place(), JSON.stringify(all))
  tell()
}

export function keepDraft(threadId: string, html: string, answeredId?: string) {
  const { files = 0, receivedId } = read()[threadId] ?? {}
  const draft = { html, files, receivedId: answeredId ?? receivedId }
  keep(threadId, html || files > 0 ? draft : null)
}

export async function discard(threadId: string) {
  const { files = 0 } = read()[threadId] ?? {}
  keep(threadId, null)
  if (files > 0) await keepFiles(threadId, [])
}

export async function attach(threadId: string, files: readonly File[]) {
  await keepFiles(threadId, files)
  const reply = read()[threadId] ?? { html: "" }
  keep(threadId, reply.html || files.length > 0 ? { ...reply, files: files.length } : null)
}

async function keepFiles(threadId: string, files: readonly File[]) {
  const { keepFiles } = await import("./reply-files.ts")
  await keepFiles(threadId, files)
}

/** Undefined for files that the browser has thrown away. */
async function attachmentsOf(threadId: string, count: number) {
  const { readFiles, toAttachments } = await import("./reply-files.ts")
  const files = await readFiles(threadId)
  return files.length === count ? toAttachments(files) : undefined
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Sends a reply after ten seconds, in which it can be taken back. */
export function sendReply(threadId: string, html: string) {
  const sent = { key: crypto.randomUUID(), at: Date.now() + HELD_MS }
  timers.set(
    threadId,
    setTimeout(() => post(threadId), HELD_MS),
  )
  keep(threadId, { ...read()[threadId], html, sent })
  say("Reply sent", async () => takeBack(threadId))
}

/** Not after ten seconds, nor in another tab. */
export function takeBack(threadId: string) {
  const reply = read()[threadId]
  if (!timers.has(threadId) || !reply) throw new Error("The reply has already been sent.")
  clearTimeout(timers.get(threadId))
  timers.delete(threadId)
  keepDraft(threadId, reply.html)
}

const posts = new Map<string, Promise<void>>()

/** The key makes it one email, however often it is posted. */
export function post(threadId: string): Promise<void> {
  clearTimeout(timers.get(threadId))
  timers.delete(threadId)
  const end = () => {
    posts.delete(threadId)
    tell()
  }
  const running = posts.get(threadId) ?? postKept(threadId).finally(end)
  posts.set(threadId, running)
  tell()
  return running
}

/** Whether it can be taken back, is on its way, or was not confirmed by the server. */
export const useSending = (threadId: string) =>
  changes.useSome(() =>
    timers.has(threadId) ? "held" : posts.has(threadId) ? "posting" : "unconfirmed",
  )

/** All but the files. */
const inputOf = ({ html, receivedId, sent }: Reply) => ({
  html,
  ...(receivedId && { receivedId }),
  ...(sent && { idempotencyKey: sent.key }),
})

/** Files take their time on a slow line. One try, so that the reply can soon be changed. */
const WITH_FILES = { timeoutMs: 300_000, maxRetries: 0 }

async function postKept(threadId: string) {
  const reply = read()[threadId]
  if (!reply?.html || !reply.sent) return
  const { sent, ...draft } = reply
  const { files = 0 } = draft
  const attachments = files > 0 ? await attachmentsOf(threadId, files) : []
  if (!attachments) {
    keep(threadId, { ...draft, files: 0 })
    return sayError(new Error("The files are gone from this browser. Attach them again."))
  }
  // Another tab may have taken it back meanwhile.
  const isKept = () => read()[threadId]?.sent?.key === sent.key
  try {
    await api.threads.reply(
      threadId,
      { ...inputOf(reply), ...(files > 0 && { attachments }) },
      files > 0 ? WITH_FILES : {},
    )
  } catch (error) {
    // The key is of this reply alone: a conflict means that it was sent.
    if (!(error instanceof EdgepostError && error.code === "idempotency_conflict")) {
      // Without an answer it may have been taken: it keeps its key.
      const isRefused = error instanceof EdgepostError && !error.retryable
      const left = { ...draft, ...(!isRefused && { sent: { ...sent, at: Date.now() } }) }
      if (isKept()) keep(threadId, left)
      return sayError(error)
    }
  }
  if (isKept()) await discard(threadId)
  void queries.invalidateQueries({ queryKey: ["thread", threadId] })
  void queries.invalidateQueries({ queryKey: ["threads"] })
}

/** Sends what can still be taken back. */
export async function postHeld() {
  const ids = [...timers.keys(), ...posts.keys()]
  await Promise.all(ids.map(post))
  if (ids.some((id) => read()[id])) {
    throw new Error("A reply was not sent. Signing out again deletes it.")
  }
}

/** Forgets the drafts of every team with their files. */
export async function clearReplies() {
  for (const key of allPlaces()) localStorage.removeItem(key)
  tell()
  const { clearFiles } = await import("./reply-files.ts")
  await clearFiles()
}

/** Sends what an earlier tab could not, such as without a connection, once no tab can take it back. */
export function sendLeftReplies() {
  for (const [threadId, { sent }] of Object.entries(read())) {
    if (sent && !timers.has(threadId)) setTimeout(() => post(threadId), sent.at - Date.now())
  }
}

/**
 * Whoever closes the tab meant to send: the browser finishes these calls without it. They are too small for
 * files: a reply with files is sent when the dashboard is opened next.
 */
addEventListener("pagehide", () => {
  for (const threadId of timers.keys()) {
    const reply = read()[threadId]
    const team = chosenTeam.get()
    if (!reply?.html || !reply.sent || reply.files) continue
    void fetch(`/dashboard/api/threads/${threadId}/replies`, {
      method: "POST",
      keepalive: true,
      headers: { "content-type": "application/json", ...(team && { "x-team-id": team }) },
      body: JSON.stringify(inputOf(reply)),
    }).catch(() => {})
  }
})
