import { type Calls, get, patch, post } from "./calls.ts"
import { type EmailInput, toSendInput } from "./email-input.ts"
import { iterate } from "./pages.ts"
import type { CallOptions, SendOptions } from "./request.ts"
import type {
  Email,
  EmailCheck,
  EmailExplanation,
  EmailPage,
  EmailWithEvents,
  ListEmailsQuery,
  SendRawQuery,
} from "./types.ts"

/** What a raw message does not say itself. */
export type RawOptions = Omit<SendRawQuery, "to" | "tag"> & {
  to: string | string[]
  tags?: Record<string, string>
}

export const createEmailsApi = ({ call, config }: Calls) => {
  const automaticKey = () =>
    config.idempotencyKeys === "automatic" ? crypto.randomUUID() : undefined
  const list = (query: ListEmailsQuery = {}, options?: CallOptions) =>
    call<EmailPage>(get`/emails`, options, { query })

  return {
    /**
     * Sends an email, now or at `scheduledAt`. Resolves once the email is stored. The client repeats
     * a failed call only with an idempotency key, in the input or in the options.
     */
    send: (input: EmailInput, { idempotencyKey, ...options }: SendOptions = {}) => {
      const key = idempotencyKey ?? (input.idempotencyKey ? undefined : automaticKey())
      return call<{ id: string }>(post`/emails`, options, {
        body: toSendInput(input),
        idempotencyKey: key,
        retry: Boolean(key || input.idempotencyKey),
      })
    },

    /** Sends up to 100 emails, all or none. The client repeats a failed call only if the call or every email has an idempotency key. */
    batch: (inputs: EmailInput[], { idempotencyKey, ...options }: SendOptions = {}) => {
      const haveKeys = inputs.every((input) => input.idempotencyKey)
      const key = idempotencyKey ?? (haveKeys ? undefined : automaticKey())
      return call<{ data: { id: string }[] }>(post`/emails/batch`, options, {
        body: Promise.all(inputs.map(toSendInput)),
        idempotencyKey: key,
        retry: Boolean(key || haveKeys),
      })
    },

    /**
     * Sends a message of RFC 5322 as it is, to the addresses in `to` and to nobody else. The client repeats
     * a failed call only with an idempotency key.
     */
    sendRaw: (
      message: Uint8Array | ArrayBuffer,
      { tags, ...query }: RawOptions,
      { idempotencyKey = automaticKey(), ...options }: SendOptions = {},
    ) => {
      const tag = Object.entries(tags ?? {}).map(([key, value]) => `${key}:${value}`)
      return call<{ id: string }>(post`/emails/raw`, options, {
        query: { ...query, tag },
        message: (ArrayBuffer.isView(message)
          ? message
          : new Uint8Array(message)) as Uint8Array<ArrayBuffer>,
        idempotencyKey,
        retry: Boolean(idempotencyKey),
      })
    },

    /** The bytes of the message that was handed over, also of an email that was not sent raw. */
    raw: (id: string, options?: CallOptions) =>
      call<Uint8Array>(get`/emails/${id}/raw`, options, { readsBytes: true }),

    /** An email with up to 100 entries of its timeline, and `eventsCursor` if there are more. */
    get: (id: string, { eventsCursor, ...options }: CallOptions & { eventsCursor?: string } = {}) =>
      call<EmailWithEvents>(get`/emails/${id}`, options, { query: { eventsCursor } }),

    /**
     * A page of emails, newest first. With `searchedUntil` it has looked back to that time only, and
     * may be short or empty: the next page goes on.
     */
    list,

    /** Every email that the query finds. Reads one page after another. */
    iterate: (query: ListEmailsQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Cancels an email that is queued or scheduled. Safe to repeat. */
    cancel: (id: string, options?: CallOptions) =>
      call<Email>(post`/emails/${id}/cancel`, options, { retry: true }),

    /** Moves a scheduled email to another time. */
    reschedule: (id: string, body: { scheduledAt: string | Date }, options?: CallOptions) =>
      call<Email>(patch`/emails/${id}`, options, { body }),

    /** What happened to an email, in plain words, and what to do about it. */
    explain: (id: string, options?: CallOptions) =>
      call<EmailExplanation>(get`/emails/${id}/explain`, options),

    /** Whether this email would be sent, and how to improve it. Sends and stores nothing. */
    check: (input: EmailInput, options?: CallOptions) =>
      call<EmailCheck>(post`/emails/check`, options, { body: toSendInput(input) }),
  }
}
