import type { QueueMessage } from "../../src/worker/consume.ts"

export interface Sent {
  message: QueueMessage
  delaySeconds: number
}

/** A queue that nobody consumes: the test decides what arrives, how often, and when. */
export function fakeQueue() {
  const sent: Sent[] = []
  const queue = {
    send: async (message: QueueMessage, options?: QueueSendOptions) => {
      sent.push({ message, delaySeconds: options?.delaySeconds ?? 0 })
    },
    sendBatch: async (messages: Iterable<MessageSendRequest<QueueMessage>>) => {
      for (const { body, delaySeconds = 0 } of messages) sent.push({ message: body, delaySeconds })
    },
  } as unknown as Queue
  return { queue, sent }
}
