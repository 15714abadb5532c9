import { createHash, randomUUID } from "node:crypto"
import { expect } from "vitest"
import type { SocialProvider } from "../../src/worker/access/people/sign-in/visitors-contract.ts"
import { fakeOutside, type Handler } from "./outside.ts"

/** Somebody's account at the provider. */
export interface Account {
  sub: string
  email: string
  isVerified: boolean
}

export const CLIENT = { id: "client-id", secret: "client-secret" }

/** A provider of OpenID Connect, as its setting names it. */
export const ACME = {
  id: "acme",
  name: "Acme",
  discoveryUrl: "https://login.acme.example/.well-known/openid-configuration",
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
}
export type FakedProvider = SocialProvider | "acme"

/** What a provider's id token says, and which key signs it. */
export interface IdToken {
  claims: Record<string, unknown>
  key: CryptoKeyPair
}

interface Issued {
  account: Account
  redirectUri: string
  challenge: string
  nonce: string | null
}

/**
 * A provider's server of OAuth, which the code of a sign-in is exchanged at. It holds the Worker to
 * RFC 6749 and 7636: the client, the address to lead back to, the code, its verifier. `forge` changes
 * the id token of Acme before it is signed.
 */
export function fakeProvider(
  provider: FakedProvider,
  forge: (token: IdToken) => IdToken | Promise<IdToken> = (token) => token,
) {
  const codes = new Map<string, Issued>()
  const acmeKey = newKey()
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
    const id_token = await idToken(issued)
    return Response.json({ ...bearer, refresh_token: "refresh", id_token })
  }

  async function idToken({ account, nonce }: Issued): Promise<string | undefined> {
    if (provider === "github") return undefined
    if (provider === "google") return idTokenOf(account)
    const { sub, email, isVerified } = account
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: new URL(ACME.discoveryUrl).origin,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce,
      sub,
      email,
      email_verified: isVerified,
      name: "Ada",
    }
    return signed(await forge({ claims, key: await acmeKey }))
  }

  async function answerAsAcme(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (pathname === "/token") return exchange(request)
    if (pathname === "/keys") {
      const { publicKey } = await acmeKey
      return Response.json({ keys: [await crypto.subtle.exportKey("jwk", publicKey)] })
    }
    return Response.json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      id_token_signing_alg_values_supported: ["ES256"],
    })
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

  const hosts: Record<FakedProvider, Record<string, Handler>> = {
    acme: { [new URL(ACME.discoveryUrl).host]: answerAsAcme },
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
        nonce: searchParams.get("nonce"),
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

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }

export const newKey = () =>
  crypto.subtle.generateKey(ES256, true, ["sign", "verify"]) as Promise<CryptoKeyPair>

async function signed({ claims, key }: IdToken): Promise<string> {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
  const text = `${encode({ alg: "ES256" })}.${encode(claims)}`
  const signature = await crypto.subtle.sign(ES256, key.privateKey, Buffer.from(text))
  return `${text}.${Buffer.from(signature).toString("base64url")}`
}
