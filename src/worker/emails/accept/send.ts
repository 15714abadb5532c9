import type { Ctx } from "../../platform/context.ts"
import { invalid } from "../../platform/http/errors.ts"
import { withStatus } from "../../platform/http/route.ts"
import type { SendInput } from "../send-input.ts"
import { type Alongside, acceptEmails } from "./accept.ts"

export async function sendEmail(
  ctx: Ctx,
  input: SendInput,
  callKey: string | undefined,
  alongside?: Alongside,
) {
  const result = await acceptEmails(ctx, [withCallKey(input, callKey)], alongside)
  if (!result.ok) throw result.refusals[0].error
  const [{ id, replayed }] = result.accepted as [(typeof result.accepted)[0]]
  return replayed ? withStatus(200, { id }) : { id }
}

/** Refuses an idempotency key in the body that differs from the one in the header. */
export function withCallKey(input: SendInput, callKey: string | undefined) {
  const own = input.idempotencyKey
  if (own !== undefined && callKey !== undefined && own !== callKey) {
    throw invalid(["idempotencyKey"], "Differs from the Idempotency-Key header")
  }
  return withKey(input, callKey)
}

export const withKey = (input: SendInput, key: string | undefined): SendInput =>
  input.idempotencyKey === undefined && key !== undefined
    ? { ...input, idempotencyKey: key }
    : input
