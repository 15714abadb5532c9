import { env } from "cloudflare:workers"
import { makeAuthenticator, ORIGIN } from "../../../support/authenticator.ts"
import { gifOf } from "../../../support/images.ts"
import { acceptForLater } from "../../../support/mail.ts"
import {
  cookieOf,
  createSession,
  makePerson,
  PASSWORD,
  type Person,
} from "../../../support/session.ts"
import type { Team } from "../../../support/team.ts"
import { totp } from "../../../support/totp.ts"
import { type Example, madeDelivery } from "../../platform/http/examples.ts"

type Make = (team: Team, owner: Person) => Promise<Example> | Example

/** For each call that only the dashboard has a call that succeeds, by an owner of the team. */
export const dashboardExamples: Record<string, Make> = {
  "GET /domains/:id/dns": ({ domainId }) => ({ path: `/domains/${domainId}/dns` }),
  "POST /domains/:id/dns": ({ domainId }) => ({ path: `/domains/${domainId}/dns` }),
  "GET /contact-books/:id/contacts/:contactId/consents": async ({ api }) => {
    const book = await api.post("/contact-books", { name: "Readers" })
    const path = `/contact-books/${book.body.id}/contacts`
    const contact = await api.post(path, { email: "ada@example.com" })
    return { path: `${path}/${contact.body.id}/consents` }
  },
  "POST /segments/count": async ({ api }) => {
    const { body } = await api.post("/contact-books", { name: "Readers" })
    const filter = { all: [{ field: "email", op: "set" }] }
    return { path: "/segments/count", body: { bookId: body.id, filter } }
  },
  "GET /template-sends": () => ({ path: "/template-sends" }),
  "GET /run-rows": () => ({ path: "/run-rows?state=waiting" }),
  "GET /campaign-rows": () => ({ path: "/campaign-rows" }),
  "GET /sequence-rows": () => ({ path: "/sequence-rows" }),
  "POST /layouts": () => ({ path: "/layouts", body: layout }),
  "GET /layouts": async (_team, owner) => {
    await layoutPath(owner)
    return { path: "/layouts" }
  },
  "GET /layouts/:id": async (_team, owner) => ({ path: await layoutPath(owner) }),
  "PATCH /layouts/:id": async (_team, owner) => ({
    path: await layoutPath(owner),
    body: { name: "New" },
  }),
  "DELETE /layouts/:id": async (_team, owner) => ({ path: await layoutPath(owner) }),
  "GET /templates/:slugOrId/draft": async ({ api }) => ({
    path: `${await templatePath(api)}/draft`,
  }),
  "GET /template-drafts": async ({ api }, owner) => {
    const draft = { ...template, version: 1, revision: null }
    await owner.post(`${await templatePath(api)}/draft`, draft)
    return { path: "/template-drafts" }
  },
  "POST /template-drafts": () => ({
    path: "/template-drafts",
    body: { slug: "new", ...template },
  }),
  "POST /templates/:slugOrId/draft": async ({ api }) => ({
    path: `${await templatePath(api)}/draft`,
    body: { ...template, version: 1, revision: null },
  }),
  "DELETE /templates/:slugOrId/draft": async ({ api }, owner) => {
    const path = `${await templatePath(api)}/draft`
    const { body } = await owner.post(path, { ...template, version: 1, revision: null })
    return { path: `${path}?revision=${body.revision}` }
  },
  "POST /templates/:slugOrId/publish": async ({ api }, owner) => {
    const path = await templatePath(api)
    const draft = { ...template, subject: "Hello", version: 1, revision: null }
    const { body } = await owner.post(`${path}/draft`, draft)
    return { path: `${path}/publish`, body: { version: 1, revision: body.revision } }
  },
  "POST /images": () => ({ path: "/images", body: logo }),
  "POST /suppressions/restore": () => ({ path: "/suppressions/restore", body: bounced }),
  "POST /erasures": () => ({ path: "/erasures", body: { email: "ada@example.com" } }),
  "GET /deliveries/:id/request": async (team) => ({
    path: `${(await madeDelivery(team)).delivery}/request`,
  }),
  "GET /webhook-health": async (team) => {
    await madeDelivery(team)
    return { path: "/webhook-health" }
  },
  "POST /webhooks/:id/replay-failed": async (team) => ({
    path: `${await webhookThatFailed(team)}/replay-failed`,
    body: {},
  }),
  "POST /webhooks/:id/test-event": async (team) => ({
    path: `${(await madeDelivery(team)).webhook}/test-event`,
    body: { type: "email.bounced" },
  }),
  "GET /webhooks/:id/delivery-rows": async (team) => {
    const { webhook, delivery } = await madeDelivery(team)
    return { path: `${webhook}/delivery-rows?ids=${delivery.split("/").at(-1)}` }
  },
  "POST /webhooks/:id/rotate-secret": async (team) => ({
    path: `${(await madeDelivery(team)).webhook}/rotate-secret`,
    body: { overlap: true },
  }),
  "GET /session": () => ({ path: "/session" }),
  "POST /passkeys/options": () => ({ path: "/passkeys/options" }),
  "POST /passkeys": (_team, owner) => newPasskey(owner),
  "GET /passkeys": async (_team, owner) => {
    await passkeyPath(owner)
    return { path: "/passkeys" }
  },
  "PATCH /passkeys/:id": async (_team, owner) => ({
    path: await passkeyPath(owner),
    body: { name: "Old laptop" },
  }),
  "DELETE /passkeys/:id": async (_team, owner) => ({ path: await passkeyPath(owner) }),
  "GET /second-factor": () => ({ path: "/second-factor" }),
  "POST /second-factor": () => ({ path: "/second-factor", body: { password: PASSWORD } }),
  "POST /second-factor/confirm": async (_team, owner) => ({
    path: "/second-factor/confirm",
    body: { code: totp(await startApp(owner)) },
  }),
  "POST /second-factor/verify": async (_team, owner) => {
    const { secret, headers } = await addApp(owner)
    return { path: "/second-factor/verify", body: { code: totp(secret, 1) }, headers }
  },
  "POST /second-factor/recovery-codes": async (_team, owner) => {
    const { headers } = await addApp(owner)
    return { path: "/second-factor/recovery-codes", body: { password: PASSWORD }, headers }
  },
  "POST /second-factor/remove": async (_team, owner) => {
    const { headers } = await addApp(owner)
    return { path: "/second-factor/remove", body: { password: PASSWORD }, headers }
  },
  "GET /profile": () => ({ path: "/profile" }),
  "PATCH /profile": () => ({ path: "/profile", body: { name: "Ada" } }),
  "POST /profile/password": () => ({
    path: "/profile/password",
    body: { currentPassword: PASSWORD, newPassword: "a better password" },
  }),
  "GET /sessions": () => ({ path: "/sessions" }),
  "DELETE /sessions": () => ({ path: "/sessions" }),
  "DELETE /sessions/:id": async (_team, owner) => {
    await createSession(owner.email)
    const { data } = (await owner.get("/sessions")).body
    const other = data.find(({ current }: { current: boolean }) => !current)
    return { path: `/sessions/${other.id}` }
  },
  "GET /installation": () => ({ path: "/installation" }),
  "GET /team": () => ({ path: "/team" }),
  "GET /team/usage": () => ({ path: "/team/usage" }),
  "PATCH /team": () => ({ path: "/team", body: { name: "Renamed", postalAddress: "1 Street" } }),
  "GET /members": () => ({ path: "/members" }),
  "PATCH /members/:id": async ({ id }) => ({
    path: `/members/${(await makePerson(id, "member")).id}`,
    body: { role: "admin" },
  }),
  "DELETE /members/:id": async ({ id }) => ({
    path: `/members/${(await makePerson(id, "member")).id}`,
  }),
  "POST /team/delete": ({ domain }) => ({
    path: "/team/delete",
    body: { name: `Team ${domain}` },
  }),
  "POST /team/leave": async ({ id }) => {
    await makePerson(id, "owner")
    return { path: "/team/leave" }
  },
  "POST /teams": () => ({ path: "/teams", body: { name: "Second" } }),
  "GET /teams": () => ({ path: "/teams" }),
  "POST /invitations": () => ({ path: "/invitations", body: invitation }),
  "GET /invitations": async (_team, owner) => {
    await invitationPath(owner)
    return { path: "/invitations" }
  },
  "DELETE /invitations/:id": async (_team, owner) => ({ path: await invitationPath(owner) }),
  "POST /invitations/:id/resend": async (_team, owner) => ({
    path: `${await invitationPath(owner)}/resend`,
  }),
  "GET /audit-log": async (_team, owner) => {
    await owner.post("/api-keys", { name: "One" })
    return { path: "/audit-log" }
  },
  "GET /overview": () => ({ path: "/overview" }),
  "GET /stats/delivery": () => ({ path: "/stats/delivery" }),
  "GET /recipients/:email": async (team) => {
    await team.api.post("/suppressions", { email: "ada@example.com" })
    return { path: "/recipients/ada%40example.com" }
  },
  "GET /email-rows": async (team) => ({ path: `/email-rows?ids=${await acceptForLater(team)}` }),
  "GET /email-marks": async (team) => ({ path: `/email-marks?ids=${await acceptForLater(team)}` }),
  "GET /contacts/search": () => ({ path: "/contacts/search?q=ada" }),
  "GET /emails/count": () => ({ path: "/emails/count?status=bounced" }),
  "GET /search": async (team) => ({ path: `/search?q=${await acceptForLater(team)}` }),
  "POST /views": () => ({ path: "/views", body: view }),
  "GET /views": async (_team, owner) => {
    await viewPath(owner)
    return { path: "/views" }
  },
  "PATCH /views/:id": async (_team, owner) => ({
    path: await viewPath(owner),
    body: { name: "Bounces" },
  }),
  "DELETE /views/:id": async (_team, owner) => ({ path: await viewPath(owner) }),
  "GET /inbox": () => ({ path: "/inbox" }),
}

const view = { name: "Bounces of the week", query: { status: "bounced", since: "7d" } }

const viewPath = async (owner: Person) => `/views/${(await owner.post("/views", view)).body.id}`

const bounced = {
  email: "ada@example.com",
  reason: "bounce",
  note: null,
  sourceEmailId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
}

const template = {
  name: "Welcome",
  subject: "Hi",
  bodyHtml: "<p>Hi</p>",
  bodyText: null,
  variablesSchema: { variables: [] },
}

async function templatePath(api: Team["api"]): Promise<string> {
  const { body } = await api.post("/templates", { slug: "welcome", ...template })
  return `/templates/${body.id}`
}

const logo = gifOf(20, 10)

const layout = { name: "Header", blocks: [{ kind: "heading", level: 1, text: "News" }] }
const invitation = { email: "guest@example.com", role: "member" }

const layoutPath = async (owner: Person) =>
  `/layouts/${(await owner.post("/layouts", layout)).body.id}`

const invitationPath = async (owner: Person) =>
  `/invitations/${(await owner.post("/invitations", invitation)).body.id}`

const startApp = async (owner: Person): Promise<string> =>
  (await owner.post("/second-factor", { password: PASSWORD })).body.secret

/** The session of the reply takes the place of the owner's. */
async function addApp(owner: Person) {
  const secret = await startApp(owner)
  const confirmed = await owner.post("/second-factor/confirm", { code: totp(secret) })
  return { secret, headers: { cookie: cookieOf(confirmed) } }
}

async function newPasskey(owner: Person) {
  const started = await owner.post("/passkeys/options")
  const device = makeAuthenticator({ origin: ORIGIN })
  const response = device.create(started.body)
  const headers = { cookie: `${owner.cookie}; ${cookieOf(started)}` }
  return { path: "/passkeys", body: { name: "Laptop", response }, headers }
}

async function passkeyPath(owner: Person): Promise<string> {
  const { path, body, headers } = await newPasskey(owner)
  return `/passkeys/${(await owner.post(path, body, headers)).body.id}`
}

async function webhookThatFailed({ id, api }: Team): Promise<string> {
  const url = "https://receiver.example.com/hook"
  const { body } = await api.post("/webhooks", { url, events: ["contact.created"] })
  const { body: book } = await api.post("/contact-books", { name: "Readers" })
  await api.post(`/contact-books/${book.id}/contacts`, { email: "ada@example.com" })
  await env.DB.prepare("update deliveries set state = 'failed' where team_id = ?").bind(id).run()
  return `/webhooks/${body.id}`
}
