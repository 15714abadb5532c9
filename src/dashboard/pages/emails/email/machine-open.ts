/** Gmail sends it when it loads images as mail arrives. Its `GoogleImageProxy` comes with a real open. */
const GMAIL_AHEAD =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0"

/** The proxies of Apple Mail's privacy protection, and of other mail programs. */
const PRIVACY_PROXY = "Mozilla/5.0"

/** Says why an open may not be a person's. Undefined if nothing tells. */
export function machineOpen(userAgent: unknown): string | undefined {
  if (userAgent === GMAIL_AHEAD) {
    return "Gmail loads images when mail arrives, so this may not be a real open."
  }
  if (userAgent === PRIVACY_PROXY) {
    return "Apple Mail and others load images ahead to protect privacy, so this may not be a real open."
  }
  return undefined
}
