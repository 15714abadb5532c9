import { within } from "../../lib/within.ts"
import { readValidSessions } from "../access/people/sessions/valid-sessions.ts"
import type { Ctx } from "../platform/context.ts"
import { retryLater } from "../platform/http/errors.ts"
import { MAX_READERS, PING_SECONDS, SEQUENCE_HEADER } from "./contract.ts"
import { readEvents } from "./reader.ts"
import { streamOf } from "./stream-of.ts"
import { KEY_HEADER } from "./team-stream.ts"

const ANSWERS_WITHIN_MS = 10_000

export async function openStream(
  ctx: Ctx,
  lastEventId?: string,
  include?: "received",
): Promise<Response> {
  const { team, key, session } = await ctx.caller()
  const opened = streamOf(ctx.env, team.id).fetch("https://stream", {
    headers: {
      upgrade: "websocket",
      ...(lastEventId && { "last-event-id": lastEventId }),
      ...(key && { [KEY_HEADER]: key.id }),
    },
  })
  const { webSocket, status, headers } = await within(ANSWERS_WITHIN_MS, opened)
  if (status === 429) throw tooManyReaders()
  if (!webSocket) throw restarting()
  const position = headers.get(SEQUENCE_HEADER) ?? ""
  const events = readEvents(webSocket, {
    position: Number(position),
    includesReceived: include === "received",
    isReset: Boolean(lastEventId) && lastEventId !== position,
    isSessionOver: session
      ? async () => (await readValidSessions(ctx.directory, team.id, [session.token])).size === 0
      : undefined,
  })
  return new Response(events, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      [SEQUENCE_HEADER]: position,
    },
  })
}

const tooManyReaders = () =>
  retryLater("rate_limited", `A team has at most ${MAX_READERS} open streams.`, PING_SECONDS)

/** For seconds after a deployment, an object may still be of the version before. */
const restarting = () =>
  retryLater("unavailable", "The stream is restarting. Try again shortly.", 2)
