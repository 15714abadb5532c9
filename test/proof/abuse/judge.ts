import { expect } from "vitest"
import * as z from "zod"
import { ERROR_STATUS, type ErrorCode } from "../../../src/worker/platform/http/errors.ts"
import type { Reply } from "../../support/api.ts"
import type { Target } from "./targets.ts"
import type { World } from "./world.ts"

interface Judged {
  target: Target
  reply: Reply & { text: string; isTheirs: boolean }
  logs: readonly string[]
  world: World
}

const envelope = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().min(1),
    details: z.unknown().optional(),
  }),
})

const resendEnvelope = z.strictObject({
  statusCode: z.int(),
  name: z.string().min(1),
  message: z.string().min(1),
})

/** What a reply must never be, whatever was asked. */
export function judge({ target, reply, logs, world }: Judged): void {
  const { status, headers, body, text } = reply
  const shown = `${JSON.stringify([...headers])}${text}`
  expect(headers.get("x-request-id"), "an id of the request").toMatch(/^[\w.:-]{1,64}$/)
  expect(status, text).not.toBe(500)
  if (status >= 500) {
    expect(body.error?.code ?? body.name, text).toMatch(/not_configured|application_error/)
  }
  for (const marker of world.markers) expect(shown, "another team's data").not.toContain(marker)
  if (reply.isTheirs) expect(status, `another team's object: ${text}`).toBeGreaterThanOrEqual(400)
  if (status >= 400) judgeError(target, reply)
  else judgeSuccess(target, reply)
  const told = status >= 400 ? `${shown}${logs.join("\n")}` : logs.join("\n")
  for (const secret of world.secrets()) {
    expect(told, "a secret in an error or a log").not.toContain(secret)
  }
  expect(told, "a webhook's secret in an error or a log").not.toMatch(/whsec_\w/)
  expect(Object.keys(Object.prototype), "members of all objects").toEqual([])
}

function judgeError({ surface }: Target, { status, body, text }: Judged["reply"]): void {
  if (surface === "resend") {
    expect(resendEnvelope.parse(body).statusCode, text).toBe(status)
    return
  }
  const { error } = envelope.parse(body)
  expect(ERROR_STATUS[error.code], text).toBe(status)
}

function judgeSuccess({ surface, endpoint }: Target, reply: Judged["reply"]): void {
  const { status, body, text } = reply
  if (surface === "resend") expect(typeof body, text).toBe("object")
  else expect([endpoint?.status, endpoint?.alsoStatus]).toContain(status)
  if (status === 204) expect(text).toBe("")
  if (surface === "resend" || status === 204 || !endpoint?.response) return
  const schema = endpoint.response as z.ZodType<unknown, unknown>
  expect(z.encode(schema, z.decode(schema, body))).toEqual(body)
}
