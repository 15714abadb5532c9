export type * from "./types.ts"
export {
  type RawRequest,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from "./verify-webhook.ts"
export {
  createWebhookHandler,
  type WebhookEventHandlers,
  type WebhookHandlerOptions,
} from "./webhook-handler.ts"
