import { iterate, type Page } from "./pages.ts"
import { type ReactBody, renderReact } from "./react-body.ts"
import type { CallOptions, SendOptions } from "./request.ts"
import { get, patch, post, type Transport } from "./transport.ts"
import type {
  Email,
  EmailCheck,
  EmailExplanation,
  EmailWithEvents,
  ListEmailsQuery,
  SendInput,
} from "./types.ts"

/** An email. Its body may be a React element, which `edgepost/react` renders. */
export type EmailInput = SendInput & ReactBody

export const createEmailsApi = ({ call }: Transport) => {
  const list = (query: ListEmailsQuery = {}, options?: CallOptions) =>
    call<Page<Email>>(get`/emails`, options, { query })

  return {
    /**
     * Sends an email, now or at `scheduledAt`. Resolves once the email is stored. The client repeats
     * a failed call only with an idempotency key, in the input or in the options.
     */
    send: ({ react, ...input }: EmailInput, { idempotencyKey, ...options }: SendOptions = {}) =>
      call<{ id: string }>(post`/emails`, options, {
        body: renderReact(input, react),
        idempotencyKey,
        retry: Boolean(idempotencyKey || input.idempotencyKey),
      }),

    /** Sends up to 100 emails, all or none. The client repeats a failed call only if the call or every email has an idempotency key. */
    batch: (inputs: EmailInput[], { idempotencyKey, ...options }: SendOptions = {}) =>
      call<{ data: { id: string }[] }>(post`/emails/batch`, options, {
        body: Promise.all(inputs.map(({ react, ...input }) => renderReact(input, react))),
        idempotencyKey,
        retry: Boolean(idempotencyKey || inputs.every((input) => input.idempotencyKey)),
      }),

    /** An email with up to 100 entries of its timeline, and `eventsCursor` if there are more. */
    get: (id: string, { eventsCursor, ...options }: CallOptions & { eventsCursor?: string } = {}) =>
      call<EmailWithEvents>(get`/emails/${id}`, options, { query: { eventsCursor } }),

    /** A page of emails, newest first. */
    list,

    /** Every email that the query finds. Reads one page after another. */
    iterate: (query: ListEmailsQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Cancels an email that is queued or scheduled. Safe to repeat. */
    cancel: (id: string, options?: CallOptions) =>
      call<Email>(post`/emails/${id}/cancel`, options, { retry: true }),

    /** Moves a scheduled email to another time. */
    reschedule: (id: string, body: { scheduledAt: string }, options?: CallOptions) =>
      call<Email>(patch`/emails/${id}`, options, { body }),

    /** What happened to an email, in plain words, and what to do about it. */
    explain: (id: string, options?: CallOptions) =>
      call<EmailExplanation>(get`/emails/${id}/explain`, options),

    /** Whether this email would be sent, and how to improve it. Sends and stores nothing. */
    check: ({ react, ...input }: EmailInput, options?: CallOptions) =>
      call<EmailCheck>(post`/emails/check`, options, { body: renderReact(input, react) }),
  }
}
