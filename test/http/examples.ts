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
  "POST /domains": ({ domain }) => ({ path: "/domains", body: { name: `mail.${domain}` } }),
  "GET /domains": () => ({ path: "/domains" }),
  "GET /domains/:id": ({ domainId }) => ({ path: `/domains/${domainId}` }),
  "DELETE /domains/:id": ({ domainId }) => ({ path: `/domains/${domainId}` }),
  "POST /domains/:id/verify": ({ domainId }) => ({ path: `/domains/${domainId}/verify` }),
  "POST /suppressions": () => ({ path: "/suppressions", body: { email: "a@example.com" } }),
  "GET /suppressions": async ({ api }) => {
    await api.post("/suppressions", { email: "a@example.com" })
    return { path: "/suppressions" }
  },
  "DELETE /suppressions/:email": async ({ api, domain }) => {
    await api.post("/suppressions", { email: `a@${domain}` })
    return { path: `/suppressions/a%40${domain}` }
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

async function scheduled(team: Team): Promise<string> {
  const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: inAnHour() })
  return body.id
}
