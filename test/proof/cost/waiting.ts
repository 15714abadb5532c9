import type { QueueMessage } from "../../../src/worker/consume.ts"
import type { Env } from "../../../src/worker/platform/env.ts"

type Queues = "CAMPAIGNS" | "SENDS_BULK" | "SENDS_BACKLOG" | "OUTCOMES"

export type Waiting<Binding extends Queues> = Map<Binding, QueueMessage[]>

/** The same queues, whose messages also wait for the next invocation. The minute replaces delayed ones. */
export const captured = <Binding extends Queues>(bindings: Env, waiting: Waiting<Binding>) =>
  Object.fromEntries(
    [...waiting].map(([name, bodies]) => [
      name,
      {
        sendBatch: async (messages: Iterable<MessageSendRequest<QueueMessage>>) => {
          const sent = [...messages]
          if (sent.length === 0) return
          await bindings[name].sendBatch(sent)
          bodies.push(...sent.flatMap(({ body, delaySeconds }) => (delaySeconds ? [] : [body])))
        },
      },
    ]),
  ) as unknown as Pick<Env, Binding>
