import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, wait } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  HandInQuery,
  ListReceivedEmailsQuery,
  ReceivedEmail,
  ReceivedEmailPage,
  ReceivedEmailWithTexts,
} from "./types.ts"

export const createReceivedEmailsApi = ({ call }: Calls) => {
  const list = (query: ListReceivedEmailsQuery = {}, options?: CallOptions) =>
    call<ReceivedEmailPage>(get`/received-emails`, options, { query })

  return {
    /** Hands in a message of RFC 5322 as if it had come by mail. Safe to repeat. */
    create: (
      message: Uint8Array | ArrayBuffer,
      query: HandInQuery,
      options?: CallOptions,
    ): Promise<{ id: string }> =>
      call<{ id: string }>(post`/received-emails`, options, {
        query,
        message: (ArrayBuffer.isView(message)
          ? message
          : new Uint8Array(message)) as Uint8Array<ArrayBuffer>,
        retry: true,
      }),

    /** A page of received mail, newest first. */
    list,

    /** Every received email that the query finds. Reads one page after another. */
    iterate: (query: ListReceivedEmailsQuery = {}, options?: CallOptions) =>
      iterate(list, query, options),

    /** Waits up to 30 seconds for mail. The page is empty if none came. */
    wait: (query: ListReceivedEmailsQuery = {}, options?: CallOptions) =>
      wait(list, query, options),

    /** A received email with its texts. */
    get: (id: string, options?: CallOptions) =>
      call<ReceivedEmailWithTexts>(get`/received-emails/${id}`, options),

    /** The bytes of the message as it came. */
    raw: (id: string, options?: CallOptions) =>
      call<Uint8Array>(get`/received-emails/${id}/raw`, options, { readsBytes: true }),

    /** The bytes of a file. */
    attachment: (id: string, attachmentId: string, options?: CallOptions) =>
      call<Uint8Array>(get`/received-emails/${id}/attachments/${attachmentId}`, options, {
        readsBytes: true,
      }),

    /** Marks a received email as read or unread. */
    update: (id: string, body: { read: boolean }, options?: CallOptions) =>
      call<ReceivedEmail>(patch`/received-emails/${id}`, options, { body }),

    remove: (id: string, options?: CallOptions) =>
      call<undefined>(remove`/received-emails/${id}`, options),
  }
}
