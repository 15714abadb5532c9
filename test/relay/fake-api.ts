import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { normalizeAddress } from "../../src/lib/address.ts"

export const API_KEY = `svc_live_${"k".repeat(43)}`

export interface FakeApi {
  url: string
  /** What was accepted, each once: recipients, and the message in Latin-1. */
  emails: { to: string[]; message: string }[]
  calls: number
  /** Sends that have come, also those that are not answered yet. */
  sends: number
  /** How the next sends are answered, if not with success. */
  refusals: { status: number; code?: string; details?: unknown; headers?: Record<string, string> }[]
  suppressed: string[]
  delayMs: number
  revoked: boolean
  /** Drops the contents of emails as they come. */
  forgetful: boolean
  close(): void
}

/** The three calls of the API that the relay makes, with its rules of idempotency. */
export async function startFakeApi(): Promise<FakeApi> {
  const known = new Map<string, { input: string; id: string }>()
  const api: FakeApi = {
    url: "",
    emails: [],
    calls: 0,
    sends: 0,
    refusals: [],
    suppressed: [],
    delayMs: 0,
    revoked: false,
    forgetful: false,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  let accepted = 0

  function accept(key: string, to: string[], message: Buffer): string | null {
    const input = createHash("sha256").update(to.join()).update(message).digest("hex")
    const earlier = known.get(key)
    if (earlier) return earlier.input === input ? earlier.id : null
    const id = `em_${String(++accepted).padStart(26, "0")}`
    known.set(key, { input, id })
    api.emails.push({ to, message: api.forgetful ? "" : message.toString("latin1") })
    return id
  }

  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    api.calls++
    if (api.revoked || request.headers.authorization !== `Bearer ${API_KEY}`) {
      return answer(response, 401, { error: { code: "unauthorized", message: "No such key." } })
    }
    if (request.url === "/api/v1/me") return answer(response, 200, { team: { id: "team_1" } })
    if (request.url === "/api/v1/emails/check") {
      const { to, from } = JSON.parse(body.toString())
      if (normalizeAddress(from) === null) {
        return answer(response, 400, { error: { code: "validation_error", message: "No sender." } })
      }
      const suppressed = api.suppressed.includes(to) ? { reason: "bounce" } : null
      return answer(response, 200, { recipients: [{ address: to, suppressed }] })
    }
    api.sends++
    await sleep(api.delayMs)
    const refused = api.refusals.shift()
    if (refused) {
      const { status, code = "internal_error", details, headers } = refused
      return answer(response, status, { error: { code, message: "Refused.", details } }, headers)
    }
    const { pathname, searchParams } = new URL(request.url ?? "", api.url)
    if (pathname !== "/api/v1/emails/raw") return answer(response, 404, { error: {} })
    const id = accept(String(request.headers["idempotency-key"]), searchParams.getAll("to"), body)
    const error = { code: "idempotency_conflict", message: "Another input." }
    answer(response, id === null ? 409 : 201, id === null ? { error } : { id })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}
