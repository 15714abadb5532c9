import { describe, expect, it, vi } from "vitest"
import { metered } from "../support/meter.ts"
import { makeTeam } from "../support/team.ts"

const message = (domain: string, to = "someone@example.com") => ({
  from: `Sender <sender@${domain}>`,
  to,
  subject: "Hello",
  text: "Hi",
})

describe("an email's life", () => {
  it("is sent and delivered, and its timeline says so", async () => {
    const { api, domain } = await makeTeam()
    const sent = await api.post("/emails", message(domain))
    expect(sent.status).toBe(201)
    await vi.waitFor(async () => {
      const { body } = await api.get(`/emails/${sent.body.id}`)
      expect(body.status).toBe("delivered")
      expect(body.events.map(({ type }: { type: string }) => type)).toEqual(["sent", "delivered"])
    }, 10_000)
  })

  it("one is accepted in one round trip with four rows", async () => {
    const { api, domain } = await makeTeam()
    await api.get("/me")
    await new Promise((resolve) => setTimeout(resolve, 200))
    const meter = await metered(() => api.post("/emails", message(domain)))
    console.log(meter)
  })
})
