import { connect, type Socket } from "node:net"

/** A process of its own: makes the load that the bench asks for, and answers with its times. */

export interface Call {
  method: string
  path: string
  headers?: Record<string, string>
  /** `#n#` stands for the number of the call. */
  body?: string
}

export interface Load {
  port: number
  call: Call
  status: number
  connections: number
  seconds: number
  /** Ends after this number of calls. */
  calls?: number
  /** What the calls leave to the queues counts, too. */
  settles?: boolean
}

export interface Times {
  calls: number
  seconds: number
  p50: number
  p99: number
}

let numbers = 0

function encode({ method, path, headers = {}, body = "" }: Call): Buffer {
  const number = `${process.pid}-${++numbers}`
  const sent = body.replaceAll("#n#", number)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...Object.entries(headers).map(
      ([name, value]) => `${name}: ${value.replaceAll("#n#", number)}`,
    ),
    ...(sent ? [`content-length: ${Buffer.byteLength(sent)}`] : []),
  ]
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${sent}`)
}

/** The length of the first response in the text, or null while parts are missing. */
function responseLength(text: string): number | null {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return null
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2)) ?? []
  if (length !== undefined) {
    const end = head + 4 + Number(length)
    return text.length >= end ? end : null
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(text.slice(0, head + 2))) return head + 4
  const end = text.indexOf("\r\n0\r\n\r\n", head + 2)
  return end === -1 ? null : end + 7
}

interface Running extends Load {
  left: number
}

/** Calls one after the other on one connection, until the time is over. */
function drive(socket: Socket, load: Running, until: number, times: number[]) {
  const { call, status } = load
  return new Promise<void>((resolve, reject) => {
    let received = ""
    let startedAt = 0
    const next = () => {
      startedAt = performance.now()
      if (startedAt >= until || load.left-- <= 0) {
        socket.destroy()
        return resolve()
      }
      socket.write(encode(call))
    }
    socket.setNoDelay(true)
    socket.on("data", (data) => {
      received += data.toString("latin1")
      const length = responseLength(received)
      if (length === null) return
      if (!received.startsWith(`HTTP/1.1 ${status} `)) return reject(new Error(received))
      received = received.slice(length)
      times.push(performance.now() - startedAt)
      next()
    })
    socket.on("error", reject)
    socket.on("connect", next)
  })
}

async function run(load: Load): Promise<Times> {
  const times: number[] = []
  const running = { ...load, left: load.calls ?? Number.POSITIVE_INFINITY }
  const startedAt = performance.now()
  const until = startedAt + load.seconds * 1000
  await Promise.all(
    Array.from({ length: load.connections }, () =>
      drive(connect(load.port, "127.0.0.1"), running, until, times),
    ),
  )
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return {
    calls: times.length,
    seconds: (performance.now() - startedAt) / 1000,
    p50: at(0.5),
    p99: at(0.99),
  }
}

process.on("message", (load: Load) => {
  run(load).then(
    (times) => process.send?.({ times }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
