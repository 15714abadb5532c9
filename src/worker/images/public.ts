import type { Hono } from "hono"
import { IMAGE_PATH } from "../../lib/image-path.ts"
import { findInBuckets } from "../platform/db/buckets.ts"
import type { Env } from "../platform/env.ts"
import { notFound } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { OBJECT_PREFIX } from "./address.ts"

const NAME = /^[A-Za-z0-9_-]{22}\.(png|jpg|gif|webp)$/

const YEAR_SECONDS = 365 * 86_400

/** An image never changes. Opened as a page it runs nothing, and webmail of other sites may show it. */
const HEADERS = {
  "cache-control": `public, max-age=${YEAR_SECONDS}, immutable`,
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
}

/** Whoever has the mail may see its images. */
export function publicImages(app: Hono<HttpEnv>): void {
  app.get(`${IMAGE_PATH}:name`, async (c) => {
    const name = c.req.param("name")
    const object = NAME.test(name) ? await find(c.env, c.req.raw, name) : null
    if (!object) throw notFound("Image")
    const headers = {
      ...HEADERS,
      etag: object.httpEtag,
      "content-type": object.httpMetadata?.contentType ?? "application/octet-stream",
    }
    if (!("body" in object)) return c.body(null, 304, headers)
    return c.body(object.body, 200, { ...headers, "content-length": String(object.size) })
  })
}

/** Without its body, if the reader has it already. */
function find(env: Env, { headers }: Request, name: string) {
  const etag = /^"([0-9a-f]+)"$/.exec(headers.get("if-none-match") ?? "")?.[1]
  const options = etag ? { onlyIf: { etagDoesNotMatch: etag } } : {}
  return findInBuckets(env, (bucket) => bucket.get(OBJECT_PREFIX + name, options))
}
