import { eventually } from "./eventually.ts"
import type { Team } from "./team.ts"

interface Inbox {
  id: string
  address: string
  forwardingAddress: string
}

/** An inbox of the team's domain, which receives from now on. */
export async function makeInbox(team: Team, local = "support", input: object = {}) {
  await team.api.patch(`/domains/${team.domainId}`, { receiving: "forward" })
  const address = `${local}@${team.domain}`
  const { body, status } = await team.api.post("/inboxes", { address, ...input })
  if (status !== 409) return body as Inbox
  const { body: page } = await team.api.get("/inboxes")
  return page.data.find((inbox: Inbox) => inbox.address === address) as Inbox
}

let count = 0

/** A message of RFC 5322, each with another id. */
export const messageTo = (address: string, headers: string[] = [], body = "Where is it?") =>
  [
    "From: Ada Lovelace <ada@example.com>",
    `To: ${address}`,
    "Subject: Where is my order?",
    `Message-ID: <${++count}.${crypto.randomUUID()}@example.com>`,
    ...headers,
    "",
    body,
  ].join("\r\n")

/** Hands in a message, and waits until it is worked off. */
export async function receive(
  { api }: Pick<Team, "api">,
  to: string,
  message: string | Uint8Array,
  from = "ada@example.com",
) {
  const query = new URLSearchParams({ to, from })
  const { body } = await api.post(`/received-emails?${query}`, message)
  return eventually(async () => {
    const { body: received } = await api.get(`/received-emails/${body.id}`)
    if (received.parsed === null) throw new Error(`${body.id} is not worked off`)
    return received
  })
}
