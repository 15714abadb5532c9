import type { Ctx } from "../env.ts"
import { KEY_HEADER } from "./team-stream.ts"

export async function openStream(ctx: Ctx, lastEventId?: string): Promise<Response> {
  const { team, key } = await ctx.caller()
  const { body } = await ctx.env.TEAM_STREAM.getByName(team.id).fetch("https://stream", {
    headers: {
      ...(lastEventId && { "last-event-id": lastEventId }),
      ...(key && { [KEY_HEADER]: key.id }),
    },
  })
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  })
}
