import { gunzipSync } from "node:zlib"
import type { APIRequestContext } from "playwright-core"
import { expect, inject } from "vitest"
import type { Role } from "../../src/worker/access/people/contract.ts"
import { selectFrom } from "../system/dev-server.ts"

export const PASSWORD = "correct horse battery"

type Call = <T>(method: string, path: string, data?: unknown, team?: string) => Promise<T>

/** Calls of the dashboard as whoever is signed in. */
export const callAs =
  (request: APIRequestContext): Call =>
  async (method, path, data, team) => {
    const headers = team ? { "x-team-id": team } : {}
    const reply = await request.fetch(`/dashboard${path}`, { method, headers, data })
    const text = await reply.text()
    expect(reply.ok(), `${method} ${path}: ${text}`).toBe(true)
    return text === "" ? undefined : JSON.parse(text)
  }

export interface Invited {
  link: string
  email: string
}

/** Invites somebody whom nobody knows yet. */
export async function inviteTo(
  owner: APIRequestContext,
  team: string | undefined,
  role: Role,
  email = `person-${crypto.randomUUID()}@people.test`,
): Promise<Invited> {
  const call = callAs(owner)
  const { link } = await call<Invited>("POST", "/api/invitations", { email, role }, team)
  return { link, email }
}

/** A new person with a place in the team. */
export async function addTo(owner: APIRequestContext, team: string | undefined, role: Role) {
  const { link, email } = await inviteTo(owner, team, role)
  const [, token] = link.split("#token=")
  const body = { token, name: `Ada ${email.slice(7, 11)}`, password: PASSWORD }
  const reply = await fetch(new URL("/dashboard/auth/invitations/accept", link), {
    method: "POST",
    body: JSON.stringify(body),
  })
  expect(reply.status).toBe(200)
  return { email, password: PASSWORD, name: body.name }
}

/** A team of its own. */
export async function newTeam(owner: APIRequestContext) {
  const name = `Team ${crypto.randomUUID().slice(0, 8)}`
  return callAs(owner)<{ id: string; name: string }>("POST", "/api/teams", { name })
}

/** The link in the newest mail that the service itself has sent to an address. */
export async function mailedLink(address: string): Promise<string> {
  const rows = () =>
    selectFrom(
      inject("state"),
      `select body from sandbox_messages where team_id = 'system'
       and instr(recipients, '${address}') > 0 order by email_id desc limit 1`,
    )
  await expect.poll(() => rows().length, { timeout: 20_000, interval: 1_000 }).toBe(1)
  const packed = gunzipSync(Buffer.from(String(rows()[0]?.body), "base64"))
  const { text } = JSON.parse(packed.toString("utf8"))
  return /https?:\S+#token=[\w-]+/.exec(text)?.[0] ?? ""
}
