import type { Team } from "../support/team.ts"

/** For each endpoint a call that succeeds, made ready on the team. */
export const examples: Record<
  string,
  (team: Team) => Promise<{ path: string; body?: unknown }> | { path: string; body?: unknown }
> = {
  "GET /me": () => ({ path: "/me" }),
  "POST /api-keys": () => ({ path: "/api-keys", body: { name: "CI" } }),
  "GET /api-keys": () => ({ path: "/api-keys" }),
  "DELETE /api-keys/:id": async ({ api }) => {
    const { body } = await api.post("/api-keys", { name: "Old" })
    return { path: `/api-keys/${body.id}` }
  },
  "POST /emails": (team) => ({ path: "/emails", body: message(team) }),
  "POST /emails/batch": (team) => ({ path: "/emails/batch", body: [message(team)] }),
  "GET /emails": async (team) => {
    await scheduled(team)
    return { path: "/emails" }
  },
  "GET /emails/:id": async (team) => ({ path: `/emails/${await scheduled(team)}` }),
  "PATCH /emails/:id": async (team) => ({
    path: `/emails/${await scheduled(team)}`,
    body: { scheduledAt: inAnHour() },
  }),
  "POST /emails/:id/cancel": async (team) => ({ path: `/emails/${await scheduled(team)}/cancel` }),
  "POST /suppressions": () => ({ path: "/suppressions", body: { email: "a@example.com" } }),
  "GET /stream": () => ({ path: "/stream" }),
  "GET /suppressions": async ({ api }) => {
    await api.post("/suppressions", { email: "a@example.com" })
    return { path: "/suppressions" }
  },
  "DELETE /suppressions/:email": async ({ api, domain }) => {
    await api.post("/suppressions", { email: `a@${domain}` })
    return { path: `/suppressions/a%40${domain}` }
  },
  "POST /webhooks": () => ({ path: "/webhooks", body: webhook }),
  "GET /webhooks": async (team) => {
    await madeWebhook(team)
    return { path: "/webhooks" }
  },
  "GET /webhooks/:id": async (team) => ({ path: `/webhooks/${await madeWebhook(team)}` }),
  "PATCH /webhooks/:id": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}`,
    body: { enabled: false },
  }),
  "DELETE /webhooks/:id": async (team) => ({ path: `/webhooks/${await madeWebhook(team)}` }),
  "POST /webhooks/:id/test": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}/test`,
  }),
  "POST /webhooks/:id/backfill": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}/backfill`,
    body: { after: 0 },
  }),
  "GET /events": async (team) => {
    await team.api.post(`/webhooks/${await madeWebhook(team)}/test`)
    return { path: "/events?after=0" }
  },
  "GET /sandbox/messages": () => ({ path: "/sandbox/messages" }),
}

export const message = ({ domain }: Team) => ({
  from: `Sender <sender@${domain}>`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
})

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const webhook = { url: "https://receiver.example.com/hook", events: ["email.sent"] }

async function madeWebhook({ api }: Team): Promise<string> {
  const { body } = await api.post("/webhooks", webhook)
  return body.id
}

async function scheduled(team: Team): Promise<string> {
  const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: inAnHour() })
  return body.id
}
