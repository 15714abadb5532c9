import type { Work } from "../../platform/context.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"

/** A hint of the queue `received`: mail waits to be worked off, or an inbox to be emptied. */
export interface ReceivedMessage {
  kind: "received"
}

export const enqueueReceived = ({ env }: Work) =>
  enqueueNow<ReceivedMessage>(env, [{ kind: "received" }])
