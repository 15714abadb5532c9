import { DurableObject } from "cloudflare:workers"
import type { Env } from "../platform/env.ts"
import { MAX_READERS, PING_SECONDS, SEQUENCE_HEADER } from "./contract.ts"
import { type Announcement, createHistory, type History, type Publication } from "./history.ts"

/** Changes that may be under way to a reader, beside the publication that overflows them. */
const WINDOW = 500
/** A reader confirms what it has taken after so many changes. */
export const CONFIRMED_CHANGES = WINDOW / 2

/** The key that opened the stream. */
export const KEY_HEADER = "x-key-id"

/** Messages of a socket. Cloudflare answers them without the object. */
export const PING = "ping"
export const PONG = "pong"

/** Is attached to the reader's socket. */
interface Reader {
  /** The sequence of the last change that was sent. */
  sent: number
  /** The sequence of the last change that the reader has confirmed. */
  taken: number
  since: number
}

/**
 * The live stream of one team: the sockets of all its readers, and the history for reconnects.
 *
 * A reader is a position in the history. A new publication goes at once to every reader that stands
 * right before it and has room. A reader that is behind reads from the history as it confirms what it
 * has taken: memory stays small, and no change is skipped.
 *
 * Cloudflare bills an object while it is in memory. With nothing but hibernatable sockets, the object
 * leaves memory between publications and the sockets stay open. So it holds no open response and no
 * timer; pings are answered without it.
 */
export class TeamStream extends DurableObject<Env> {
  readonly #history: History

  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    this.#history = createHistory(state.storage.sql)
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG))
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

  /** Subscribes a reader, whose socket gets publications. `Last-Event-ID` is its last position. */
  override fetch({ headers }: Request): Response {
    if (!this.#makeRoom()) return new Response(null, { status: 429 })
    const newest = this.#history.newest()
    const lastEventId = headers.get("last-event-id") || String(newest)
    const asked = /^(0|[1-9][0-9]{0,14})$/.test(lastEventId) ? Number(lastEventId) : Infinity
    const position = this.#history.reaches(asked, Date.now()) ? asked : newest
    const { 0: webSocket, 1: socket } = new WebSocketPair()
    const keyId = headers.get(KEY_HEADER)
    this.ctx.acceptWebSocket(socket, keyId ? [keyId] : [])
    this.#sendNext(socket, { sent: position, taken: position, since: Date.now() })
    return new Response(null, {
      status: 101,
      webSocket,
      headers: { [SEQUENCE_HEADER]: String(position) },
    })
  }

  /** The sequence of the last change that the reader has taken. */
  override webSocketMessage(socket: WebSocket, taken: string): void {
    this.#sendNext(socket, { ...readerOf(socket), taken: Number(taken) })
  }

  endStreamsOf(keyId: string): void {
    for (const socket of this.ctx.getWebSockets(keyId)) socket.close(ENDED)
  }

  /** For a deleted team: nothing calls the object after this. */
  deleteHistory(): Promise<void> {
    return this.ctx.storage.deleteAll()
  }

  #publish(publication: Publication): void {
    const before = publication.last - publication.changes.length
    const message = JSON.stringify(publication)
    for (const socket of this.#sockets()) {
      const reader = readerOf(socket)
      if (reader.sent !== before || !hasRoom(reader)) continue
      socket.send(message)
      socket.serializeAttachment({ ...reader, sent: publication.last })
    }
  }

  /** Sends from the history while the reader has room. */
  #sendNext(socket: WebSocket, reader: Reader): void {
    while (hasRoom(reader)) {
      const next = this.#history.next(reader.sent)
      if (!next) break
      if (next.last - next.changes.length > reader.sent) {
        // What comes next is no longer stored: the reader comes again, and gets a reset.
        socket.close(ENDED)
        return
      }
      socket.send(JSON.stringify(next))
      reader.sent = next.last
    }
    socket.serializeAttachment(reader)
  }

  /** A reader that takes nothing loses its place to a new one. */
  #makeRoom(): boolean {
    const sockets = this.#sockets()
    if (sockets.length < MAX_READERS) return true
    const silentSince = Date.now() - 2 * PING_SECONDS * 1000
    const isSilent = (socket: WebSocket) =>
      (this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? readerOf(socket).since) <
      silentSince
    const [slowest] = sockets
      .filter((socket) => isSilent(socket) || !hasRoom(readerOf(socket)))
      .toSorted((one, other) => readerOf(one).taken - readerOf(other).taken)
    slowest?.close(ENDED)
    return slowest !== undefined
  }

  #sockets = () =>
    this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
}

/** The status of a socket that has nothing more to say. */
const ENDED = 1000

const readerOf = (socket: WebSocket): Reader => socket.deserializeAttachment()

const hasRoom = ({ sent, taken }: Reader) => sent - taken < WINDOW
