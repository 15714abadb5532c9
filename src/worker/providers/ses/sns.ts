import { createVerify, type KeyObject, X509Certificate } from "node:crypto"
import * as z from "zod"
import { readJson } from "../../../lib/json.ts"
import { HOUR_MS, MINUTE_MS } from "../../../lib/time.ts"
import { withSignal } from "../../../lib/within.ts"
import type { Settings } from "../../platform/env.ts"
import { ApiError } from "../../platform/http/errors.ts"

const signed = {
  MessageId: z.string(),
  TopicArn: z.string(),
  Timestamp: z.string(),
  Message: z.string(),
  SignatureVersion: z.string(),
  Signature: z.string(),
  SigningCertURL: z.string(),
}
const handshake = { ...signed, Token: z.string(), SubscribeURL: z.string() }

const snsMessage = z.discriminatedUnion("Type", [
  z.object({ ...signed, Type: z.literal("Notification"), Subject: z.string().nullish() }),
  z.object({ ...handshake, Type: z.literal("SubscriptionConfirmation") }),
  z.object({ ...handshake, Type: z.literal("UnsubscribeConfirmation") }),
])
type SnsMessage = z.output<typeof snsMessage>

/** Version 1 signs with SHA-1, which is broken. */
const SIGNATURE_VERSION = "2"
const SIGNATURE_ALGORITHM = "RSA-SHA256"
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[A-Za-z0-9]+\.pem$/
const ONE_CERTIFICATE =
  /^-----BEGIN CERTIFICATE-----\r?\n[A-Za-z0-9+/=\r\n]+\r?\n-----END CERTIFICATE-----\s*$/
const MAX_AGE_MS = HOUR_MS
const MAX_AHEAD_MS = 5 * MINUTE_MS
const CERTIFICATES_KEPT = 10
const TIMEOUT_MS = 10_000

const certificates = new Map<string, string>()

/** Reads a message of SNS, after checking that a topic of ours has signed it. */
export async function readSnsMessage(settings: Settings, body: string): Promise<SnsMessage> {
  const message = parse(body)
  if (!settings.SES_TOPIC_ARNS.includes(message.TopicArn)) {
    throw forbidden("The topic is not one of SES_TOPIC_ARNS.")
  }
  if (message.SignatureVersion !== SIGNATURE_VERSION) {
    throw forbidden(`The topic's SignatureVersion must be ${SIGNATURE_VERSION}.`)
  }
  if (!isRecent(message)) throw forbidden("The message is too old, or from the future.")
  const key = await publicKeyAt(certificateUrl(message))
  const verify = createVerify(SIGNATURE_ALGORITHM).update(signedText(message))
  if (!key || !verify.verify(key, message.Signature, "base64")) {
    throw forbidden("The signature does not match.")
  }
  return message
}

/** Subscribes: SNS publishes to an endpoint only once the endpoint has fetched `SubscribeURL`. */
export async function confirmSubscription(
  message: Extract<SnsMessage, { SubscribeURL: string }>,
): Promise<void> {
  const url = awsUrl(message, message.SubscribeURL)
  if (!url) throw forbidden("The confirmation's address is not at Amazon SNS.")
  const { ok, status } = await withSignal(TIMEOUT_MS, (signal) =>
    fetch(url, { redirect: "manual", signal }),
  )
  if (!ok) throw new Error(`SNS answered the confirmation with ${status}`)
}

function parse(body: string): SnsMessage {
  const { data } = snsMessage.safeParse(readJson(body))
  if (!data) throw new ApiError("validation_error", "The body is no message of Amazon SNS.")
  return data
}

function isRecent({ Timestamp }: SnsMessage): boolean {
  const age = Date.now() - Date.parse(Timestamp)
  return age <= MAX_AGE_MS && age >= -MAX_AHEAD_MS
}

/** The URL must have no query, fragment or port, and must be in normal form. */
function certificateUrl(message: SnsMessage): string {
  const url = awsUrl(message, message.SigningCertURL)
  const isPlain = url && message.SigningCertURL === url.origin + url.pathname
  if (!isPlain || !CERTIFICATE_PATH.test(url.pathname)) {
    throw forbidden("The certificate is not at Amazon SNS.")
  }
  return url.href
}

/** A URL at the SNS of the topic's own region. The topic is checked before. */
function awsUrl({ TopicArn }: SnsMessage, text: string): URL | null {
  const [, partition = "", , region = ""] = TopicArn.split(":")
  const host = `sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`
  const url = URL.parse(text)
  const isOurs = url?.protocol === "https:" && url.host === host && !url.username && !url.password
  return isOurs ? url : null
}

/** Null unless the certificate is valid now. */
async function publicKeyAt(url: string): Promise<KeyObject | null> {
  const pem = certificates.get(url) ?? (await fetchCertificate(url))
  try {
    const { validFrom, validTo, publicKey } = new X509Certificate(pem)
    const now = Date.now()
    return Date.parse(validFrom) <= now && now <= Date.parse(validTo) ? publicKey : null
  } catch {
    return null
  }
}

async function fetchCertificate(url: string): Promise<string> {
  const pem = await withSignal(TIMEOUT_MS, async (signal) => {
    const answer = await fetch(url, { redirect: "manual", signal })
    if (answer.status >= 500) throw new Error(`SNS answered for its certificate: ${answer.status}`)
    if (!answer.ok) throw forbidden("There is no such certificate.")
    return answer.text()
  })
  if (!ONE_CERTIFICATE.test(pem)) throw forbidden("The file is not one certificate.")
  if (certificates.size >= CERTIFICATES_KEPT) certificates.clear()
  certificates.set(url, pem)
  return pem
}

/** The fields that Amazon signs, in their order. A message has only some of them. */
const SIGNED_FIELDS = [
  "Message",
  "MessageId",
  "Subject",
  "SubscribeURL",
  "Timestamp",
  "Token",
  "TopicArn",
  "Type",
] as const

/** Each name on a line, then its value. */
const signedText = (
  message: { [Field in (typeof SIGNED_FIELDS)[number]]?: string | null | undefined },
) =>
  SIGNED_FIELDS.flatMap((field) => {
    const value = message[field] ?? null
    return value === null ? [] : `${field}\n${value}\n`
  }).join("")

const forbidden = (message: string) => new ApiError("forbidden", message)
