import { log } from "../../../../lib/log.ts"
import type { OidcProvider, Settings } from "../../../platform/env.ts"
import { findTarget } from "../../../webhooks/address-guard.ts"

/**
 * A provider of OpenID Connect, for the sign-in library: PKCE, state, nonce, and the signature of the
 * id token are its work. A provider at a private address is left out.
 */
export async function openIdConnect(settings: Settings, provider: OidcProvider) {
  const { id, name, discoveryUrl, clientId, clientSecret } = provider
  const { kind } = await findTarget(settings, discoveryUrl)
  if (kind === "private") {
    log("error", { provider: id, error: "The discoveryUrl does not lead to a public address" })
    return []
  }
  const { genericOAuth } = await import("../library/library.ts")
  const plugin = genericOAuth({
    config: [
      {
        providerId: id,
        name,
        discoveryUrl,
        clientId,
        clientSecret,
        scopes: ["openid", "email", "profile"],
        requireIdTokenVerification: true,
        accountSubject: ({ profile }) => profile.sub ?? "",
        // Some providers send the word, and the library would take "false" for true.
        mapProfileToUser: ({ email_verified }) => ({
          emailVerified: email_verified === true || email_verified === "true",
        }),
      },
    ],
  })
  return [plugin]
}
