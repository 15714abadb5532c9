import { expect } from "vitest"
import type { Team } from "./team.ts"

const HOUR_MS = 3_600_000

/** Accepts an email that is due in an hour: the real queue leaves it to a test's own clock. */
export async function acceptForLater(team: Team, input: Record<string, unknown> = {}) {
  const { body, status } = await team.api.post("/emails", {
    from: `Sender <sender@${team.domain}>`,
    to: "someone@example.com",
    subject: "Hello",
    text: "Hi",
    scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
    ...input,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id as string
}

/** When all mail accepted for later is due. */
export const afterThat = () => Date.now() + 2 * HOUR_MS
