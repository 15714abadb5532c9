import { expect, it } from "vitest"
import { runChaos, SHORT } from "./run.ts"

it("a service that is killed twice while it is used loses, doubles and hides nothing", async () => {
  const { figures, violations } = await runChaos({ kills: 2, pace: SHORT })
  expect(violations).toEqual([])
  expect(figures.emailsAccepted).toBeGreaterThan(20)
  expect(figures.callsUnanswered).toBeGreaterThan(0)
}, 400_000)
