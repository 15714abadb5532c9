import { emailIdAt } from "./fill/emails.ts"
import type { Call } from "./load.ts"
import { apiCalls, laterMessage, message, type Operation } from "./operations.ts"
import type { Platform } from "./platform.ts"

export interface ScaleCall extends Pick<Operation, "name" | "call" | "status" | "settles"> {
  /** It has no index for its filter: it reads a bounded number of emails. */
  isSearch?: boolean
}

/** `oldest` are emails that are there at both sizes. */
export function scaleCalls(
  platform: Platform,
  {
    bookId,
    webhookId,
    oldest,
  }: { bookId: string; webhookId: string; oldest: { from: number; to: number } },
): ScaleCall[] {
  const { api } = apiCalls(platform)
  const read = (name: string, path: string): ScaleCall => ({
    name,
    call: api("GET", path),
    status: 200,
  })
  const search = (name: string, path: string) => ({ ...read(name, path), isSearch: true })
  const accept = (name: string, body: object): ScaleCall => ({
    ...{ name, status: 201 },
    call: api("POST", "/emails", body),
  })
  const id = emailIdAt(oldest, 100)
  const cursor = Buffer.from(id).toString("base64url")
  const contacts = `/contact-books/${bookId}/contacts`
  return [
    { ...accept("accept one, sent at once", message()), settles: true },
    accept("accept one", laterMessage()),
    read("GET /emails", "/emails"),
    read("GET /emails, a page near the end", `/emails?cursor=${cursor}`),
    read("GET /emails/:id", `/emails/${id}`),
    read("GET /emails?to= an address", "/emails?to=reader-7@example.com"),
    read("GET /emails?tag= a key and its value", "/emails?tag=kind:reset"),
    read("GET /emails?tag= a key", "/emails?tag=kind"),
    read("GET /emails?status= a rare one", "/emails?status=bounced"),
    search("GET /emails?to= the start of an address", "/emails?to=reader-1"),
    search("GET /emails?to= a host", "/emails?to=@example.net"),
    search("GET /emails?subject= a common word", "/emails?subject=invoice"),
    search("GET /emails?subject= a word of one email", `/emails?subject=104`),
    read("GET /stats", "/stats"),
    read("GET contacts", contacts),
    read("GET contacts?q= an address", `${contacts}?q=reader-77`),
    read("GET contacts?q= a name", `${contacts}?q=turner`),
    read("GET /events", "/events"),
    read("GET /webhooks/:id", `/webhooks/${webhookId}`),
  ]
}

/** A hundred emails to a recipient each, sent at once. */
export function hundredCall(platform: Platform): Call {
  const to = (index: number) => `success+${index}@simulator.amazonses.com`
  const body = Array.from({ length: 100 }, (_, index) => message({ to: to(index) }))
  return apiCalls(platform).api("POST", "/emails/batch", body)
}
