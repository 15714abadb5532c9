import { within } from "../../lib/within.ts"
import type { Ctx } from "../platform/context.ts"
import { ApiError } from "../platform/http/errors.ts"
import { MAX_READERS, PING_SECONDS, SEQUENCE_HEADER } from "./contract.ts"
import { streamOf } from "./stream-of.ts"
import { KEY_HEADER, SESSION_HEADER, TEAM_HEADER } from "./team-stream.ts"

const ANSWERS_WITHIN_MS = 10_000

export async function openStream(ctx: Ctx, lastEventId?: string): Promise<Response> {
  const { team, key, session } = await ctx.caller()
  const opened = streamOf(ctx.env, team.id).fetch("https://stream", {
    headers: {
      ...(lastEventId && { "last-event-id": lastEventId }),
      [TEAM_HEADER]: team.id,
      ...(key && { [KEY_HEADER]: key.id }),
      ...(session && { [SESSION_HEADER]: session.token }),
    },
  })
  const { body, status, headers } = await within(ANSWERS_WITHIN_MS, opened)
  if (status === 429) throw tooManyReaders()
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      [SEQUENCE_HEADER]: headers.get(SEQUENCE_HEADER) ?? "",
    },
  })
}

const tooManyReaders = () =>
  new ApiError("rate_limited", `A team has at most ${MAX_READERS} open streams.`, undefined, {
    "retry-after": String(PING_SECONDS),
  })
