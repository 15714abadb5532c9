import type { Work } from "../platform/context.ts"
import type { ProviderName } from "../platform/env.ts"
import { cloudflare } from "./cloudflare/cloudflare.ts"
import type { Identities, Provider } from "./provider.ts"
import { sandbox } from "./sandbox/sandbox.ts"
import { ses } from "./ses/ses.ts"
import { smtp } from "./smtp/smtp.ts"

const providers: Record<ProviderName, (work: Work) => Provider> = {
  sandbox,
  ses,
  cloudflare,
  smtp,
}

/** The provider of transactional mail, or of campaigns. */
export function createProvider(work: Work, { bulk = false } = {}): Provider {
  const { PROVIDER, BULK_PROVIDER = PROVIDER } = work.settings
  return providers[bulk ? BULK_PROVIDER : PROVIDER](work)
}

/** The providers in use after a move to `NEXT_PROVIDER`; none without one. */
export function createNextProviders(work: Work): Provider[] {
  const { NEXT_PROVIDER, BULK_PROVIDER } = work.settings
  if (!NEXT_PROVIDER) return []
  return [...new Set([NEXT_PROVIDER, BULK_PROVIDER ?? NEXT_PROVIDER])].map((name) =>
    providers[name](work),
  )
}

/** Every provider in use, each once. A domain is proven to all of them. */
export function createProviders(work: Work): Provider[] {
  const transactional = createProvider(work)
  const bulk = createProvider(work, { bulk: true })
  return bulk.name === transactional.name ? [transactional] : [transactional, bulk]
}

export const createIdentities = (work: Work): Identities[] =>
  createProviders(work).flatMap(({ identities }) => identities ?? [])
