import { ID_PREFIXES, type IdKind } from "../lib/id.ts"
import type { Endpoint } from "../worker/platform/http/endpoint.ts"
import { exampleId } from "../worker/platform/http/example.ts"
import { pretty } from "./example.ts"

/** The kind of id in a collection's paths. */
const COLLECTIONS: Record<string, IdKind> = {
  "api-keys": "apiKey",
  emails: "email",
  domains: "domain",
  "contact-books": "contactBook",
  contacts: "contact",
  campaigns: "campaign",
  webhooks: "webhook",
  deliveries: "delivery",
  layouts: "layout",
  members: "user",
  invitations: "invitation",
  inboxes: "inbox",
  "received-emails": "received",
  threads: "thread",
}

export function pathParameters(path: string): { name: string; example: string; words: string }[] {
  return [...path.matchAll(/([^/]+)\/:([A-Za-z]+)/g)].map(([, collection = "", name = ""]) => {
    if (name === "slugOrId") {
      return { name, example: "welcome", words: "The slug, or the id: `tpl_…`." }
    }
    if (name === "email") {
      return { name, example: "ada%40example.com", words: "The address, percent-encoded." }
    }
    if (name === "position")
      return { name, example: "0", words: "The position in the list, from 0." }
    if (name === "attachmentId") return { name, example: "0", words: "As `attachments` has it." }
    const kind = COLLECTIONS[collection]
    // Sessions and passkeys have ids of the sign-in library.
    if (!kind) return { name, example: "kX3vQ9…", words: "The id, as the list shows it." }
    const noun = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return { name, example: exampleId(kind), words: `The ${noun}: \`${ID_PREFIXES[kind]}_…\`` }
  })
}

/** The call as one command. The key is in the environment, a session in a cookie jar. */
export function curl(endpoint: Endpoint, baseUrl: string): string {
  const { method, path, example, exampleQuery, access, responseType, fileType } = endpoint
  const filled = pathParameters(path).reduce(
    (text, one) => text.replace(`:${one.name}`, one.example),
    path,
  )
  const url = exampleQuery
    ? `'${baseUrl}${filled}?${new URLSearchParams(exampleQuery)}'`
    : `${baseUrl}${filled}`
  const body = example?.()
  const isImplied = method === "GET" || (method === "POST" && (body !== undefined || fileType))
  const words = [
    `curl${responseType === "text/event-stream" ? " -N" : ""}${isImplied ? "" : ` -X ${method}`} ${url}`,
    ...credentials(access),
    ...(fileType ? [`--data-binary @${EXAMPLE_FILES[fileType]}`] : []),
    ...(body === undefined ? [] : [`-d '${pretty(body, "  ")}'`]),
  ]
  return words.join(" \\\n  ")
}

const EXAMPLE_FILES = { "image/*": "logo.png", "message/rfc822": "message.eml" }

function credentials(access: Endpoint["access"]): string[] {
  if (access === "public") return []
  return access === "session" ? ["-b cookies.txt"] : ['-H "authorization: Bearer $SVC_API_KEY"']
}
