import { KEPT_CHANGES, KEPT_HOURS, PING_SECONDS } from "../../stream/contract.ts"
import { code, prose, type Section } from "../blocks.ts"

const FRAMES = `: connected

id: 4711
event: change
data: {"type":"email","id":"em_01KAHTZ9QGX4N7C2D5E8RVW3MB"}

: ping

id: 4712
event: reset
data: {}
`

export const stream: Section = {
  id: "live-stream",
  title: "Live stream frames",
  body: [
    prose(
      "[`GET /stream`](#call-stream) is a stream of server-sent events, each told by a blank line at its end:",
    ),
    code(FRAMES, "Frames of the live stream", "text"),
    prose(`
- \`: connected\` comes once the server has the subscription: what changes from then on is told.
- \`change\`: an \`email\` with each entry of its timeline, a \`webhook\` with each change and attempt. Fetch the object itself.
- \`reset\`: what was missed is no longer kept (${KEPT_CHANGES.toLocaleString("en")} changes, ${KEPT_HOURS} hours). Fetch everything that you show.
- \`: ping\` comes every ${PING_SECONDS} seconds.

Reconnect with \`Last-Event-ID\`, waiting longer each time, up to 30 seconds; not after a 401 or 403.`),
  ],
}
