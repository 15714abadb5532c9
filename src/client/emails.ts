import { iterate, type Page } from "./pages.ts"
import { type ReactBody, renderReact } from "./react-body.ts"
import type { CallOptions, SendOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
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

export const openEmails = ({ call }: Transport) => {
  const list = (query: ListEmailsQuery = {}, options?: CallOptions) =>
    call<Page<Email>>({ method: "GET", path: "/emails", query }, options)

  return {
    /**
     * Sends an email, now or at `scheduledAt`. Resolves once the email is stored. The client repeats
     * a failed call only with an idempotency key, in the input or in the options.
     */
    send: ({ react, ...input }: EmailInput, { idempotencyKey, ...options }: SendOptions = {}) =>
      call<{ id: string }>(
        {
          method: "POST",
          path: "/emails",
          body: renderReact(input, react),
          idempotencyKey,
          retry: Boolean(idempotencyKey || input.idempotencyKey),
        },
        options,
      ),

    /** Sends up to 100 emails, all or none. The client repeats a failed call only if the call or every email has an idempotency key. */
    batch: (inputs: EmailInput[], { idempotencyKey, ...options }: SendOptions = {}) =>
      call<{ data: { id: string }[] }>(
        {
          method: "POST",
          path: "/emails/batch",
          body: Promise.all(inputs.map(({ react, ...input }) => renderReact(input, react))),
          idempotencyKey,
          retry: Boolean(idempotencyKey || inputs.every((input) => input.idempotencyKey)),
        },
        options,
      ),

    /** An email with up to 100 entries of its timeline, and `eventsCursor` if there are more. */
    get: (id: string, { eventsCursor, ...options }: CallOptions & { eventsCursor?: string } = {}) =>
      call<EmailWithEvents>(
        { method: "GET", path: path`/emails/${id}`, query: { eventsCursor } },
        options,
      ),

    /** A page of emails, newest first. */
    list,

    /** Every email that the query finds. Reads one page after another. */
    iterate: (query: ListEmailsQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Cancels an email that is queued or scheduled. Safe to repeat. */
    cancel: (id: string, options?: CallOptions) =>
      call<Email>({ method: "POST", path: path`/emails/${id}/cancel`, retry: true }, options),

    /** Moves a scheduled email to another time. */
    reschedule: (id: string, body: { scheduledAt: string }, options?: CallOptions) =>
      call<Email>({ method: "PATCH", path: path`/emails/${id}`, body }, options),

    /** What happened to an email, in plain words, and what to do about it. */
    explain: (id: string, options?: CallOptions) =>
      call<EmailExplanation>({ method: "GET", path: path`/emails/${id}/explain` }, options),

    /** Whether this email would be sent, and how to improve it. Sends and stores nothing. */
    check: ({ react, ...input }: EmailInput, options?: CallOptions) =>
      call<EmailCheck>(
        { method: "POST", path: "/emails/check", body: renderReact(input, react) },
        options,
      ),
  }
}
