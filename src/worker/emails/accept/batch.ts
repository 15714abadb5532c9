import type { Ctx } from "../../platform/context.ts"
import { atIndex } from "../../platform/http/errors.ts"
import { withStatus } from "../../platform/http/route.ts"
import type { SendInput } from "../send-input.ts"
import { acceptEmails } from "./accept.ts"
import { withKey } from "./send.ts"
import type { Refused } from "./verdict.ts"

export async function sendEmailBatch(
  ctx: Ctx,
  inputs: readonly SendInput[],
  callKey: string | undefined,
) {
  const result = await acceptEmails(
    ctx,
    inputs.map((input, index) => withItemKey({ index, input }, callKey)),
  )
  if (!result.ok) {
    const [{ index, error }] = result.refusals
    throw atIndex(index, error)
  }
  const data = result.accepted.map(({ id }) => ({ id }))
  return result.accepted.every(({ replayed }) => replayed) ? withStatus(200, { data }) : { data }
}

/** An item of a batch, with its index in the call. */
export interface BatchItem {
  index: number
  input: SendInput
}

/** Sends the items that nothing refuses, and answers the refusals of the others. */
export async function sendAcceptable(
  ctx: Ctx,
  items: readonly BatchItem[],
  callKey: string | undefined,
): Promise<{ data: { id: string }[]; refusals: Refused[] }> {
  const refusals: Refused[] = []
  let left = items
  while (left.length > 0) {
    const asked = left
    const result = await acceptEmails(
      ctx,
      asked.map((item) => withItemKey(item, callKey)),
    )
    if (result.ok) return { data: result.accepted.map(({ id }) => ({ id })), refusals }
    const refused = new Set(result.refusals.map(({ index }) => index))
    refusals.push(
      ...result.refusals.map(({ index, error }) => ({ index: asked[index]!.index, error })),
    )
    left = asked.filter((_, position) => !refused.has(position))
  }
  return { data: [], refusals }
}

/** The key of the call stands for a key of each item. */
const withItemKey = ({ index, input }: BatchItem, callKey: string | undefined) =>
  withKey(input, callKey && `${callKey}#${index}`)
