import { AwsClient } from "aws4fetch"
import { readJson } from "../../../lib/json.ts"
import { withSignal } from "../../../lib/within.ts"
import type { Settings } from "../../platform/env.ts"

export type SesAnswer<T> =
  | { ok: true; body: T }
  /** Status 0: no answer came. */
  | { ok: false; status: number; code: string; reason: string }

export type SesSettings = Pick<
  Settings,
  "AWS_REGION" | "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" | "SES_ENDPOINT"
>

export const NOT_CONFIGURED = "NotConfigured"

/** A send that starts in time ends well before its lease. */
const TIMEOUT_MS = 20_000

const signingKeys = new Map<string, ArrayBuffer>()

/** One call of the SES API, version 2, signed with the installation's credentials. */
export async function callSes<T>(
  settings: SesSettings,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<SesAnswer<T>> {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, SES_ENDPOINT } = settings
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const reason = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set."
    return { ok: false, status: 503, code: NOT_CONFIGURED, reason }
  }
  const aws = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    service: "ses",
    region: AWS_REGION,
    cache: signingKeys,
  })
  const endpoint = SES_ENDPOINT ?? `https://email.${AWS_REGION}.amazonaws.com`
  const request = await aws.sign(`${endpoint}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    // As bytes: text would be encoded once for the signature and again for the request.
    ...(body !== undefined && {
      body: body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)),
    }),
  })
  try {
    return await withSignal(TIMEOUT_MS, async (signal) => {
      const response = await fetch(request, { signal })
      const answer = (readJson(await response.text()) ?? {}) as Record<string, unknown>
      return response.ok
        ? { ok: true, body: answer as T }
        : { ok: false, status: response.status, ...faultOf(response, answer) }
    })
  } catch (error) {
    return { ok: false, status: 0, code: "NoAnswer", reason: `Amazon SES: ${String(error)}` }
  }
}

/** The name of an error is in a header, before a colon, or at the end of `__type`. */
function faultOf(response: Response, answer: Record<string, unknown>) {
  const type = response.headers.get("x-amzn-errortype") ?? String(answer.__type ?? "")
  const code = type.split(":")[0]?.split("#").at(-1) || `HTTP ${response.status}`
  const message = answer.message ?? answer.Message ?? "no further words"
  return { code, reason: `Amazon SES: ${code}: ${message}` }
}
