import { vi } from "vitest"

export interface Received {
  url: string
  headers: Headers
  body: string
}

type Answer = (request: Received) => Response | Promise<Response>

/** What lies beyond the outer wall: a DNS server, and receivers by host name. */
export interface Internet {
  /** Addresses by name; a name with none answers nothing, `null` fails the look-up. */
  names: Map<string, string[] | null>
  answers: Map<string, Answer>
  received: Received[]
  /** A host of its own with a public address. */
  receiver(answer?: Answer): { url: string; received(): Received[] }
  /** Not at the end of a file: what goes on after the last test would ask the network, and the run would not end. */
  restore(): void
}

let hosts = 0

export function fakeInternet(): Internet {
  const names: Internet["names"] = new Map()
  const answers: Internet["answers"] = new Map()
  const received: Received[] = []
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    const url = new URL(request.url)
    if (url.pathname === "/dns-query") return answerDns(names, url)
    const answer = answers.get(url.hostname)
    if (!answer) throw new Error(`Nobody answers at ${url.hostname}`)
    const one = { url: request.url, headers: request.headers, body: await request.text() }
    received.push(one)
    const response = await answer(one)
    const location = response.headers.get("location")
    return location && request.redirect === "follow" ? globalThis.fetch(location) : response
  })
  return {
    names,
    answers,
    received,
    receiver(answer = () => new Response("thanks")) {
      const host = `receiver-${++hosts}.example.com`
      names.set(host, ["93.184.215.14"])
      answers.set(host, answer)
      const url = `https://${host}/hook`
      return { url, received: () => received.filter((one) => one.url === url) }
    },
    restore: () => spy.mockRestore(),
  }
}

const TYPES = { A: 1, AAAA: 28 } as const

function answerDns(names: Internet["names"], { searchParams }: URL): Response {
  const name = searchParams.get("name") ?? ""
  const type = searchParams.get("type") as keyof typeof TYPES
  const addresses = names.get(name)
  if (addresses === null) return Response.json({ Status: 2 })
  if (addresses === undefined) return Response.json({ Status: 3 })
  const answers = addresses
    .filter((address) => address.includes(":") === (type === "AAAA"))
    .map((data) => ({ name, type: TYPES[type], TTL: 60, data }))
  return Response.json({ Status: 0, Answer: answers })
}
