import {
  type RawRequest,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from "../../../src/client/verify-webhook.ts"

/** Whether the client believes the request; anything else that goes wrong is thrown. */
export async function isGenuine(
  request: RawRequest,
  secret: string,
  options: VerifyOptions,
): Promise<boolean> {
  try {
    await verifyWebhook(request, secret, options)
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  }
}
