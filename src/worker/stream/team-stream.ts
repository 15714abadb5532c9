import { DurableObject } from "cloudflare:workers"
import { logError } from "../../lib/log.ts"
import { HOUR_MS } from "../../lib/time.ts"
import type { Env } from "../platform/env.ts"
import { MAX_READERS, PING_SECONDS, SEQUENCE_HEADER } from "./contract.ts"
import { readEndedSessions, SESSION_CHECK_MS, type Session } from "./ended-sessions.ts"
import { CONNECTED, changeFrames, PING, resetFrame } from "./frames.ts"
import { type Announcement, createHistory, type History, type Publication } from "./history.ts"

const MAX_AGE_MS = HOUR_MS
/** Bytes that may wait for a reader, beside the publication that overflows them. */
const BUFFERED_BYTES = 16 * 1024

/** The stream's team, and the key or the session that opened it. */
export const TEAM_HEADER = "x-team-id"
export const KEY_HEADER = "x-key-id"
export const SESSION_HEADER = "x-session-token"

interface Reader {
  controller: ReadableStreamDefaultController<Uint8Array>
  /** Absent with a session. */
  keyId: string | null
  /** Absent with a key. */
  session: Session | null
  /** The sequence of the last change that was handed over. */
  position: number
  since: number
  /** Its position at the last ping, if the reader had no room for the ping. */
  stalledAt?: number
}

/**
 * The live stream of one team: all its readers, and the history for reconnects.
 *
 * A reader is a position in the history. A new publication goes at once to every reader that stands
 * right before it and has room. A reader that is behind reads from the history as its connection
 * drains: memory stays small, and no change is skipped.
 *
 * Only a write finds out that a connection is closed, hence the ping. The timer runs only while there
 * are readers: a pending timer keeps the object in memory, and Cloudflare bills that.
 */
export class TeamStream extends DurableObject<Env> {
  readonly #history: History
  readonly #readers = new Set<Reader>()
  #timer: ReturnType<typeof setInterval> | undefined
  #sessionTimer: ReturnType<typeof setInterval> | undefined

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#history = createHistory(state.storage.sql)
  }

  /** Publishes each once. No `await` stands between the inserts, so they commit together. */
  announce(announcements: readonly Announcement[]): void {
    for (const announcement of announcements) {
      for (const publication of this.#history.append(announcement, Date.now())) {
        this.#publish(publication)
      }
    }
  }

  /** The ids of announcements that were not published yet. */
  untold(ids: readonly string[]): string[] {
    return this.#history.untold(ids)
  }

  /** Subscribes a reader. `Last-Event-ID` is its last position. */
  override fetch(request: Request): Response {
    if (!this.#makeRoom()) return new Response(null, { status: 429 })
    const newest = this.#history.newest()
    const lastEventId = request.headers.get("last-event-id") || String(newest)
    const asked = /^(0|[1-9][0-9]{0,14})$/.test(lastEventId) ? Number(lastEventId) : Infinity
    const isKnown = this.#history.reaches(asked, Date.now())
    const position = isKnown ? asked : newest
    let reader: Reader
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = {
            controller,
            keyId: request.headers.get(KEY_HEADER),
            session: sessionOf(request),
            position,
            since: Date.now(),
          }
          this.#add(reader)
          controller.enqueue(CONNECTED)
          if (!isKnown) controller.enqueue(resetFrame(newest))
        },
        pull: () => this.#catchUp(reader),
        cancel: () => this.#remove(reader),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED_BYTES }),
    )
    return new Response(body, { headers: { [SEQUENCE_HEADER]: String(position) } })
  }

  endStreamsOf(keyId: string): void {
    for (const reader of this.#readers) if (reader.keyId === keyId) this.#end(reader)
  }

  #publish(publication: Publication): void {
    const before = publication.last - publication.changes.length
    const frames = changeFrames(publication)
    for (const reader of this.#readers) {
      if (reader.position === before && hasRoom(reader)) hand(reader, frames, publication.last)
    }
  }

  /** The streams go on while the database does not answer. */
  async #checkSessions(): Promise<void> {
    const sessions = [...this.#readers].flatMap(({ session }) => session ?? [])
    try {
      const ended = await readEndedSessions(this.env, sessions)
      for (const reader of this.#readers) {
        if (reader.session && ended.has(reader.session.token)) this.#end(reader)
      }
    } catch (error) {
      logError(error, { stream: true })
    }
  }

  #catchUp(reader: Reader): void {
    const next = this.#history.next(reader.position)
    if (!next) return
    if (next.last - next.changes.length > reader.position) this.#drop(reader)
    else hand(reader, changeFrames(next), next.last)
  }

  #ping(): void {
    for (const reader of this.#readers) {
      if (Date.now() - reader.since >= MAX_AGE_MS) {
        this.#end(reader)
      } else if (hasRoom(reader)) {
        reader.controller.enqueue(PING)
      } else if (reader.stalledAt === reader.position) {
        this.#drop(reader)
      } else {
        reader.stalledAt = reader.position
      }
    }
  }

  #add(reader: Reader): void {
    this.#readers.add(reader)
    this.#timer ??= setInterval(() => this.#ping(), PING_SECONDS * 1000)
    if (reader.session) {
      this.#sessionTimer ??= setInterval(() => this.#checkSessions(), SESSION_CHECK_MS)
    }
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader)
    if (![...this.#readers].some(({ session }) => session)) {
      clearInterval(this.#sessionTimer)
      this.#sessionTimer = undefined
    }
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A reader that takes nothing loses its place to a new one. */
  #makeRoom(): boolean {
    if (this.#readers.size < MAX_READERS) return true
    const stalled = [...this.#readers].find((reader) => !hasRoom(reader))
    if (stalled) this.#drop(stalled)
    return stalled !== undefined
  }

  #end(reader: Reader): void {
    this.#remove(reader)
    reader.controller.close()
  }

  #drop(reader: Reader): void {
    this.#remove(reader)
    reader.controller.error(new Error("The reader is too slow"))
  }
}

function sessionOf({ headers }: Request): Reader["session"] {
  const [token, teamId] = [headers.get(SESSION_HEADER), headers.get(TEAM_HEADER)]
  return token && teamId ? { token, teamId } : null
}

const hasRoom = ({ controller }: Reader) => (controller.desiredSize ?? 0) > 0

/** The position moves first: `enqueue` makes a waiting reader take the frames and pull again. */
function hand(reader: Reader, frames: Uint8Array, last: number): void {
  reader.position = last
  reader.controller.enqueue(frames)
}
