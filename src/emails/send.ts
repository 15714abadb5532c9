import type { Ctx } from "../env.ts"
import { atIndex, invalid } from "../http/errors.ts"
import { also } from "../http/route.ts"
import { acceptEmails } from "./accept.ts"
import type { SendInput } from "./send-input.ts"

export async function sendEmail(ctx: Ctx, input: SendInput, callKey: string | undefined) {
  const result = await acceptEmails(ctx, [await withCallKey(ctx, input, callKey)])
  if (!result.ok) throw result.error
  const [{ id, replayed }] = result.accepted as [(typeof result.accepted)[0]]
  return replayed ? also(200, { id }) : { id }
}

export async function sendEmailBatch(
  ctx: Ctx,
  inputs: readonly SendInput[],
  callKey: string | undefined,
) {
  const result = await acceptEmails(
    ctx,
    inputs.map((input, index) => withKey(input, callKey && `${callKey}#${index}`)),
  )
  if (!result.ok) throw atIndex(result.index, result.error)
  const data = result.accepted.map(({ id }) => ({ id }))
  return result.accepted.every(({ replayed }) => replayed) ? also(200, { data }) : { data }
}

/** The key of the body and the one of the header are the same, where both are there. */
export async function withCallKey(ctx: Ctx, input: SendInput, callKey: string | undefined) {
  const own = input.idempotencyKey
  if (own !== undefined && callKey !== undefined && own !== callKey) {
    await ctx.caller()
    throw invalid(["idempotencyKey"], "Differs from the Idempotency-Key header")
  }
  return withKey(input, callKey)
}

const withKey = (input: SendInput, key: string | undefined): SendInput =>
  input.idempotencyKey === undefined && key !== undefined
    ? { ...input, idempotencyKey: key }
    : input
