import { domainOf } from "../../../lib/address.ts"
import { lookUpDmarc } from "../../domains/dns/dmarc.ts"
import type { Ctx } from "../../platform/context.ts"
import type { ApiError } from "../../platform/http/errors.ts"
import { createProvider } from "../../providers/create-provider.ts"
import { partBytes } from "../../providers/provider.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import { addressesOf, type Item, prepareEmails } from "../accept/prepare.ts"
import { withCallKey } from "../accept/send.ts"
import { decide } from "../accept/verdict.ts"
import type { EmailContent } from "../content.ts"
import type { SendInput } from "../send-input.ts"
import { textPartOf } from "../sending/text-part.ts"
import type { EmailCheck } from "./contract.ts"
import {
  type Listed,
  type SenderDomain,
  selectBooked,
  selectDomains,
  selectListed,
} from "./facts.ts"
import { startOf } from "./sizes.ts"

/** Decides as a send does, and acts on nothing. */
export async function checkEmail(
  ctx: Ctx,
  input: SendInput,
  callKey: string | undefined,
): Promise<EmailCheck> {
  const prepared = await prepareEmails(ctx, [withCallKey(input, callKey)])
  const [item] = prepared.items as [Item]
  const { rows, refusals, results } = await decide(ctx, prepared.items, [
    selectListed(ctx, input),
    selectDomains(ctx, input),
    selectBooked(ctx, input),
  ])
  const [refused = null] = refusals
  const [listed, domains, [booked]] = results
  const { key } = await ctx.caller()
  // A refused send tells a sending-only key the reason of a suppression, and no more.
  const isSendingOnly = key?.permission === "sending_only"
  const [verdict] = rows
  const blocked: Blocked[] = JSON.parse(verdict?.suppressed ?? "[]")
  const domain =
    domains.find(({ id }) => id === verdict?.domain_id) ?? (isSendingOnly ? undefined : domains[0])
  const [sender, message] = await Promise.all([senderOf(ctx, input, domain), measure(item)])
  const { findWarnings } = await import("./warnings.ts")
  return {
    wouldSend: !refused && verdict?.prior_id === null,
    refusal: refused && toRefusal(refused.error),
    sender,
    recipients: addressesOf(input).map((address) => ({
      address,
      suppressed: suppressionOf(listed, address, isSendingOnly),
    })),
    message,
    warnings: findWarnings({
      item,
      message,
      sender,
      priorId: refused ? null : (verdict?.prior_id ?? null),
      isOverridden: !refused && listed.length > blocked.length,
      skipped: refused ? [] : blocked.map((one) => one.email),
      bookedAddresses: isSendingOnly ? 0 : (booked?.count ?? 0),
      maxBytes: createProvider(ctx).maxBytes,
    }),
  }
}

async function senderOf(ctx: Ctx, { from }: SendInput, domain: SenderDomain | undefined) {
  const name = domainOf(from.address)
  return {
    domain: domain?.name ?? name,
    status: domain?.status ?? null,
    dmarc: await lookUpDmarc(ctx.settings, name),
  }
}

const toRefusal = ({ code, message, details = null }: ApiError) => ({ code, message, details })

/** An address and its erased form may both be listed: the complaint speaks. */
function suppressionOf(listed: readonly Listed[], address: string, isSendingOnly: boolean) {
  const entries = listed.filter((entry) => entry.address === address)
  const entry = entries.find(({ reason }) => reason === "complaint") ?? entries[0]
  if (!entry) return null
  const { reason, since, sourceEmailId } = entry
  return isSendingOnly
    ? { reason, since: null, sourceEmailId: null }
    : { reason, since, sourceEmailId }
}

/** The message as it would be handed over, tracking aside. */
async function measure({
  input: { headers, attachments },
  composed,
}: Item): Promise<EmailCheck["message"]> {
  const { subject, html, text } = composed.ok
    ? composed.message
    : { subject: null, html: null, text: null }
  const content: EmailContent = { html, text, headers, attachments }
  const beginning = { ...content, html: html && startOf(html) }
  return {
    subject,
    bytes: partBytes(content),
    hasText: (await textPartOf(beginning)) !== null,
    attachments: attachments.length,
  }
}
