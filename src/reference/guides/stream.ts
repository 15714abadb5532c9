import { KEPT_CHANGES, KEPT_HOURS, PING_SECONDS } from "../../worker/stream/contract.ts"
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
      "[`GET /stream`](#call-stream) is a stream of server-sent events. A blank line ends each event:",
    ),
    code(FRAMES, "Frames of the live stream", "text"),
    prose(`
- \`: connected\` means that you will hear of every change from now on.
- \`change\` names an \`email\` at each entry of its timeline, and a \`webhook\` at each change and attempt. Fetch the object itself.
- \`reset\` means that the changes you missed are no longer kept (${KEPT_CHANGES.toLocaleString("en")} changes, ${KEPT_HOURS} hours). Fetch everything that you show.
- \`: ping\` comes every ${PING_SECONDS} seconds.

Reconnect with \`Last-Event-ID\`. Wait longer each time, up to 30 seconds. Do not reconnect after a 401 or 403.`),
  ],
}
