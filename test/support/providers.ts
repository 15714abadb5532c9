import { env } from "cloudflare:workers"

/** A provider's pause holds for the whole installation: other tests of a file would meet it. */
export const endPauses = () => env.DB.prepare("delete from provider_pauses").run()
