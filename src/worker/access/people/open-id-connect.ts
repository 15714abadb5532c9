import type { OidcProvider } from "../../platform/env.ts"

/**
 * A provider of OpenID Connect, for the sign-in library: PKCE, state, nonce, and the signature of the
 * id token are its work.
 */
export async function openIdConnect(provider: OidcProvider) {
  const { id, name, discoveryUrl, clientId, clientSecret } = provider
  const { genericOAuth } = await import("better-auth/plugins/generic-oauth")
  return genericOAuth({
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
}
