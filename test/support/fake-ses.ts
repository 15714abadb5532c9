import { createHash, createHmac } from "node:crypto"
import type { Env } from "../../src/worker/platform/env.ts"
import type { Handler } from "./outside.ts"

export const SES_HOST = "email.us-east-1.amazonaws.com"
const SECRET = "a secret of the fake SES"

export const SES_SETTINGS = {
  PROVIDER: "ses",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: SECRET,
  SES_CONFIGURATION_SET: "edgepost-test",
} satisfies Partial<Env>

export interface SesSend {
  FromEmailAddress: string
  Destination: { ToAddresses: string[]; CcAddresses: string[]; BccAddresses: string[] }
  ReplyToAddresses: string[]
  ConfigurationSetName: string
  EmailTags: { Name: string; Value: string }[]
  Content: {
    Raw?: { Data: string }
    Simple?: {
      Subject: { Data: string }
      Body: { Html?: { Data: string }; Text?: { Data: string } }
      Headers: { Name: string; Value: string }[]
      Attachments: Record<string, string>[]
    }
  }
}

/** What the fake does with one send: takes it, refuses it, or takes it and never says so. */
export type Behaviour = (attempt: number) => Response | "accept" | "break off after accepting"

export const fault = (status: number, code: string, message = code) =>
  Response.json({ message }, { status, headers: { "x-amzn-errortype": `${code}:` } })

/** Amazon SES, version 2: checks the signature, keeps what it accepts, and knows identities. */
export function makeFakeSes({ sendRate = -1 } = {}) {
  const accepted: SesSend[] = []
  const identities = new Map<string, { verified: boolean; dkim: string; mailFrom: string | null }>()
  let attempts = 0
  const ses = {
    accepted,
    identities,
    behave: (() => "accept") as Behaviour,
    idsAccepted: () => accepted.map(({ EmailTags }) => EmailTags[0]?.Value),
    handler: (async (request) => {
      const body = await request.text()
      if (!isSigned(request, body)) return fault(403, "InvalidSignatureException")
      const { pathname } = new URL(request.url)
      if (pathname === "/v2/email/account") {
        return Response.json({ SendQuota: { MaxSendRate: sendRate } })
      }
      if (pathname === "/v2/email/outbound-emails") return send(JSON.parse(body))
      return identity(request.method, pathname, body)
    }) as Handler,
  }

  function send(message: SesSend): Response {
    const answer = ses.behave(++attempts)
    if (answer instanceof Response) return answer
    accepted.push(message)
    if (answer !== "accept") throw new TypeError("Network connection lost.")
    return Response.json({ MessageId: `ses-${accepted.length}` })
  }

  function identity(method: string, pathname: string, body: string): Response {
    const [, , , , name = JSON.parse(body || "{}").EmailIdentity, more] = pathname.split("/")
    const known = identities.get(name)
    if (method === "POST") {
      if (known) return fault(400, "AlreadyExistsException")
      identities.set(name, { verified: false, dkim: "PENDING", mailFrom: null })
    } else if (!known) return fault(404, "NotFoundException")
    else if (method === "DELETE") identities.delete(name)
    else if (more === "mail-from") known.mailFrom = JSON.parse(body).MailFromDomain
    const { verified = false, dkim = "PENDING" } = identities.get(name) ?? {}
    return Response.json({
      VerifiedForSendingStatus: verified,
      DkimAttributes: {
        Status: dkim,
        Tokens: ["one", "two", "three"],
        SigningHostedZone: "dkim.eu.amazonses.test",
      },
    })
  }

  return ses
}

/** Signature version 4, worked out from Amazon's description and not by the signing library. */
function isSigned(request: Request, body: string): boolean {
  const authorization = request.headers.get("authorization") ?? ""
  const [, id, date, region, service, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=(\w+)$/.exec(
      authorization,
    ) ?? []
  if (!id?.startsWith("AKIDEXAMPLE") || region !== "us-east-1" || service !== "ses") return false
  const url = new URL(request.url)
  const headers = names
    .split(";")
    .map((name) => `${name}:${name === "host" ? url.host : request.headers.get(name)}\n`)
    .join("")
  const canonical = [request.method, url.pathname, "", headers, names, sha256(body)].join("\n")
  const time = request.headers.get("x-amz-date") ?? ""
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")
  const key = [date as string, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${SECRET}`,
  )
  return (
    time.startsWith(date as string) &&
    createHmac("sha256", key).update(text).digest("hex") === signature
  )
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
