import { expect, it } from "vitest"
import { dashboardEndpoints } from "../../../../src/worker/contract.ts"
import { request } from "../../../support/api.ts"
import { makeTeam } from "../../../support/team.ts"

const sessionCalls = dashboardEndpoints.filter(({ access }) => access === "session")

it("calls of sessions exist, and all of them are looked at", () => {
  expect(sessionCalls.length).toBeGreaterThan(20)
})

it.each(sessionCalls.map(({ method, path }) => [method, path] as const))(
  "%s %s does not exist for API keys",
  async (method, path) => {
    const { api } = await makeTeam()
    const headers = { authorization: `Bearer ${api.key}` }
    const body = method === "GET" ? undefined : {}
    const reply = await request(method, `/api/v1${path.replace(/:\w+/g, "x")}`, body, headers)
    expect([404, 405]).toContain(reply.status)
  },
)
