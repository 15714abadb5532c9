import { inject } from "vitest"
import type { Env } from "../../../src/worker/platform/env.ts"
import { type Received, SMTP_USER } from "./server.ts"

const { inbox, ...ports } = inject("smtp")

/** The settings that send through one of the test servers. */
export const smtpSettings = (security: keyof typeof ports | "none" = "none"): Partial<Env> => {
  const mode = security === "plain" ? "none" : security
  return {
    PROVIDER: "smtp",
    SMTP_HOST: "localhost",
    SMTP_PORT: String(ports[mode === "none" ? "plain" : mode]),
    SMTP_SECURITY: mode,
    ...(mode !== "none" && {
      SMTP_USERNAME: SMTP_USER.username,
      SMTP_PASSWORD: SMTP_USER.password,
    }),
  }
}

/** What the servers received for an address. */
export async function receivedBy(
  address: string,
): Promise<(Omit<Received, "raw"> & { raw: Buffer })[]> {
  const answer = await fetch(`http://127.0.0.1:${inbox}/?to=${encodeURIComponent(address)}`)
  const messages = (await answer.json()) as Received[]
  return messages.map((message) => ({ ...message, raw: Buffer.from(message.raw, "base64") }))
}
