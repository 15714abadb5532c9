import { event } from "../../worker/webhooks/contract.ts"
import { SLOW_MS, TIMEOUT_MS } from "../../worker/webhooks/deliveries/attempt.ts"
import { REST_MS } from "../../worker/webhooks/deliveries/due.ts"
import { DISABLED_AFTER_MS } from "../../worker/webhooks/deliveries/failing.ts"
import { MAX_RETRY_AFTER_MS, RETRY_DELAYS_MS } from "../../worker/webhooks/deliveries/retry.ts"
import { EVENT_TYPES } from "../../worker/webhooks/events/types.ts"
import { code, heading, prose, type Section, table } from "../blocks.ts"
import { FIRED } from "../event-shapes.ts"
import { pretty } from "../example.ts"
import { duration } from "../text.ts"
import { RECEIVERS } from "./receivers.ts"

/** A test imports and runs this example. */
export const VERIFY = `import { createHmac, timingSafeEqual } from "node:crypto"

export function isGenuine(rawBody, header, secret) {
  const grammar = /^t=(0|[1-9]\\d{0,11})((?:,v1=[0-9a-f]{64}){1,8})$/
  const [, time, digests] = grammar.exec(header ?? "") ?? []
  if (!secret || !time) return false
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false
  const own = createHmac("sha256", secret).update(\`\${time}.\${rawBody}\`).digest()
  return digests.split(",v1=").slice(1).some((hex) => timingSafeEqual(own, Buffer.from(hex, "hex")))
}`

export const webhookEvents: Section = {
  id: "webhook-events",
  title: "Webhook events",
  body: [
    prose(
      "A [webhook](#call-webhooks.create) gets the events that it subscribes to, each of them at least once.",
    ),
    table(
      ["Event", "Fired when"],
      EVENT_TYPES.map((type) => [`\`${type}\``, FIRED[type]]),
    ),
    heading("webhook-payload", "Payload"),
    prose("Each event is POSTed as one JSON object:"),
    code(pretty(event.meta()?.example), "An event", "json"),
    prose(`
- \`email.received\`: \`data.received\` is the [received email](#call-receivedEmails.get), without its headers. It has \`truncated: true\` where its texts were cut.
- Other \`email.*\`: \`data.email\` is the [email](#schema-Email) after the event. \`data.event\` is its [timeline entry](#schema-EmailEvent); the id of the entry is the id of the event.
- \`domain.*\`, \`contact.*\`, \`campaign.*\`: \`data.domain\`, \`data.contact\` and \`data.campaign\` are the records of the API.
- \`sequence.*\`: \`data.sequence\` is the [sequence](#schema-Sequence) without its steps, \`data.run\` the [run](#schema-SequenceRun), and \`data.stepKey\` the step or null.
- A [test](#call-webhooks.test) has \`{"test": true}\` as its \`data\`.`),
    heading("webhook-headers", "Headers"),
    table(
      ["Header", "Value"],
      [
        ["`svc-signature`", "`t=<unix seconds>,v1=<hex>`"],
        ["`svc-event-id`", "The event's id. It is the same for every attempt: deduplicate by it."],
        ["`svc-event-sequence`", "Its number in [`GET /events`](#call-events.list)."],
        ["`user-agent`", "`Svc-Webhooks/1`"],
        [
          "`webhook-id`, `webhook-timestamp`, `webhook-signature`",
          "The same for libraries of Standard Webhooks. Their key is what follows `whsec_`, decoded.",
        ],
      ],
    ),
    prose(
      "A webhook with the format `resend` gets bodies and types as Resend sends them (`email.delayed` is `email.delivery_delayed`), and `svix-id`, `svix-timestamp` and `svix-signature` beside these headers: `resend.webhooks.verify` and the `svix` package accept them with the webhook's secret.",
    ),
    heading("webhook-signature", "Signature"),
    prose(
      "`v1` is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret. Verify the body as it arrived, before it is parsed. While a secret is replaced, there may be several `v1`. One that matches is enough.",
    ),
    code(VERIFY, "Verifying a signature in Node", "js"),
    heading("webhook-receivers", "Receiving with the client library"),
    prose(
      "`createWebhookHandler` answers 200, 401 to a bad signature, and 500 when a handler throws, so that the event comes again. `verifyWebhook` takes any request with `headers` and the raw `body`. While a secret is replaced, pass a list of both secrets.",
    ),
    ...Object.entries(RECEIVERS).flatMap(([name, text]) => [
      prose(`${name}:`),
      code(text, `Receiving webhooks in ${name}`, "js"),
    ]),
    heading("webhook-retries", "Retries"),
    prose(
      `Any 2xx within ${duration(TIMEOUT_MS)} is a success. Anything else, redirects included, is tried again:`,
    ),
    table(
      ["After attempt", "Next try in"],
      RETRY_DELAYS_MS.map((delay, index) => [String(index + 1), duration(delay)]),
    ),
    prose(`
- A \`retry-after\` with 429 or 503 makes a wait longer, up to ${duration(MAX_RETRY_AFTER_MS)}. After failure ${RETRY_DELAYS_MS.length + 1} the delivery is \`exhausted\`.
- A webhook that fails for ${duration(DISABLED_AFTER_MS)} without a success is disabled, and its pending deliveries are dropped. [Enable it](#call-webhooks.update), then [backfill](#call-webhooks.backfill).
- A receiver that is new, times out, or takes longer than ${duration(SLOW_MS)}, gets one delivery at a time, and after a failure none for ${duration(REST_MS)}. One quick answer ends that.
- [Deliveries](#call-webhooks.deliveries) show [every attempt](#call-webhooks.delivery) and its answer. A [replay](#call-webhooks.replay) makes a new delivery of the same event, under the same id.
- The host is looked up before every attempt: a private address fails for good.
- Events may arrive in another order. Read [\`GET /events\`](#call-events.list) where the order matters.`),
  ],
}
