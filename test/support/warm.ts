import { expect } from "vitest"
import type { Api } from "./api.ts"
import { eventually } from "./eventually.ts"

/** Brings a key to where its last use is noted, which writes a row once a minute. */
export async function warmed(api: Api): Promise<void> {
  await api.get("/me")
  await eventually(async () => {
    const { body } = await api.get("/api-keys")
    expect(body.data.some((key: { lastUsedAt: unknown }) => key.lastUsedAt)).toBe(true)
  })
}
