const NAMES: Record<string, string> = {
  sandbox: "Sandbox",
  ses: "Amazon SES",
  cloudflare: "Cloudflare",
  smtp: "SMTP",
}

/** The provider's name as its maker writes it. */
export const providerName = (provider: string) => NAMES[provider] ?? provider
