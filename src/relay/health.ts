import { createServer, type Server } from "node:http"
import { Edgepost, EdgepostError } from "../client/index.ts"

const TIMEOUT_MS = 3_000
/** The API is asked at most once in this time. */
const MEMORY_MS = 5_000

interface State {
  stopping: boolean
  connections: number
}

/** `GET /health`: whether the relay takes connections, and whether the API answers. */
export function healthServer(baseUrl: string, state: () => State): Server {
  const answers = remembered(() => doesApiAnswer(baseUrl))
  return createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/health") {
      response.writeHead(404).end()
      return
    }
    const { stopping, connections } = state()
    response.writeHead(stopping ? 503 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify({ stopping, connections, api: await answers() }))
  })
}

/** The API answers, even if it refuses the key. */
async function doesApiAnswer(baseUrl: string): Promise<boolean> {
  const client = new Edgepost({ apiKey: "health", baseUrl, maxRetries: 0, timeoutMs: TIMEOUT_MS })
  try {
    await client.me()
    return true
  } catch (error) {
    return error instanceof EdgepostError && error.code === "unauthorized"
  }
}

function remembered(ask: () => Promise<boolean>): () => Promise<boolean> {
  let last: { at: number; answer: Promise<boolean> } | undefined
  return () => {
    if (!last || Date.now() - last.at > MEMORY_MS) last = { at: Date.now(), answer: ask() }
    return last.answer
  }
}
