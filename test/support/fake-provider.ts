import { createHash, randomUUID } from "node:crypto"
import { expect } from "vitest"
import type { SocialProvider } from "../../src/worker/access/people/visitors-contract.ts"
import { fakeOutside, type Handler } from "./outside.ts"

/** Somebody's account at the provider. */
export interface Account {
  sub: string
  email: string
  isVerified: boolean
}

export const CLIENT = { id: "client-id", secret: "client-secret" }

/**
 * Google's or GitHub's server of OAuth, which the code of a sign-in is exchanged at. It holds the
 * Worker to RFC 6749 and 7636: the client, the address to lead back to, the code, its verifier.
 */
export function fakeProvider(provider: SocialProvider) {
  const codes = new Map<string, { account: Account; redirectUri: string; challenge: string }>()
  const tokens = new Map<string, Account>()

  async function exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(Buffer.from(await request.arrayBuffer()).toString())
    const code = form.get("code") ?? ""
    const issued = codes.get(code)
    codes.delete(code)
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "")
    const isRight =
      issued &&
      form.get("grant_type") === "authorization_code" &&
      form.get("client_id") === CLIENT.id &&
      form.get("client_secret") === CLIENT.secret &&
      form.get("redirect_uri") === issued.redirectUri &&
      verifier.digest("base64url") === issued.challenge
    if (!isRight) return Response.json({ error: "invalid_grant" }, { status: 400 })
    const access_token = randomUUID()
    tokens.set(access_token, issued.account)
    const bearer = { access_token, token_type: "bearer", expires_in: 3600 }
    const id_token = provider === "google" ? idTokenOf(issued.account) : undefined
    return Response.json({ ...bearer, refresh_token: "refresh", id_token })
  }

  function readAccount({ url, headers }: Request): Response {
    const account = tokens.get((headers.get("authorization") ?? "").replace(/^bearer /i, ""))
    if (!account) return Response.json({ message: "Bad credentials" }, { status: 401 })
    const { sub, email, isVerified } = account
    return Response.json(
      url.endsWith("/emails")
        ? [{ email, primary: true, verified: isVerified }]
        : { id: sub, login: "ada", name: "Ada", email },
    )
  }

  const hosts: Record<SocialProvider, Record<string, Handler>> = {
    google: { "oauth2.googleapis.com": exchange },
    github: { "github.com": exchange, "api.github.com": readAccount },
  }
  const outside = fakeOutside(hosts[provider])
  return {
    /** The person agrees on the provider's page, which leads back to this path. */
    agree(url: string, account: Account): string {
      const asked = new URL(url)
      const { searchParams } = asked
      expect(asked.protocol).toBe("https:")
      expect(searchParams.get("client_id")).toBe(CLIENT.id)
      expect(searchParams.get("response_type")).toBe("code")
      expect(searchParams.get("code_challenge_method")).toBe("S256")
      const redirectUri = searchParams.get("redirect_uri") ?? ""
      const code = randomUUID()
      codes.set(code, {
        account,
        redirectUri,
        challenge: searchParams.get("code_challenge") ?? "",
      })
      return `${redirectUri}?${new URLSearchParams({ code, state: searchParams.get("state") ?? "" })}`
    },
    restore: () => outside.mockRestore(),
  }
}

/** Its signature is not checked, since it comes from Google itself. */
function idTokenOf({ sub, email, isVerified }: Account): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
  const claims = { iss: "https://accounts.google.com", aud: CLIENT.id, sub, email, name: "Ada" }
  return `${encode({ alg: "RS256" })}.${encode({ ...claims, email_verified: isVerified })}.signature`
}
