import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Platform } from "./platform.ts"
import { cpuMs } from "./process.ts"
import { printTable } from "./table.ts"

/** What runs in the background until it is done. */
interface Job {
  name: string
  items: number
  /** Brings the platform to where the clock starts; answers what is measured. */
  prepare(): Promise<() => Promise<void>>
}

const HOUR_MS = 3_600_000
const CALL = 100

function jobs(platform: Platform, queued: number): Job[] {
  const { db, ports, credentials, tick } = platform
  const baseUrl = `http://127.0.0.1:${ports.edgepost}/api/v1`
  const headers = { authorization: `Bearer ${credentials.apiKey}` }

  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await fetch(baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return reply.status === 204 ? undefined : reply.json()
  }

  async function until(isDone: () => Promise<boolean>) {
    while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 100))
  }

  const isSent = async () =>
    (await db
      .prepare(
        "select 1 from emails where team_id = ? and status in ('queued', 'sending', 'sent') limit 1",
      )
      .bind(credentials.teamId)
      .first()) === null

  /** Queued emails whose hints were lost: the sweep finds them. */
  async function queue(count: number) {
    await until(isSent)
    const scheduledAt = new Date(Date.now() + HOUR_MS).toISOString()
    const email = (index: number) => ({
      from: "hello@demo.test",
      to: `success+${index}@simulator.amazonses.com`,
      subject: "Hello",
      text: "Hello there",
      scheduledAt,
    })
    for (let sent = 0; sent < count; sent += CALL) {
      await call(
        "POST",
        "/emails/batch",
        Array.from({ length: CALL }, (_, i) => email(sent + i)),
      )
    }
    await db
      .prepare(
        `update emails set status = 'queued', scheduled_at = null, not_before = 0, due_at = 1
         where team_id = ? and status = 'scheduled' and scheduled_at = ?`,
      )
      .bind(credentials.teamId, Date.parse(scheduledAt))
      .run()
  }

  const sendQueued = async () => {
    await tick()
    await until(isSent)
  }

  const contacts = (count: number) =>
    `email,first_name\n${Array.from({ length: count }, (_, i) => `reader-${i}@example.com,Ada`).join("\n")}`
  const newBook = async (name: string) => (await call("POST", "/contact-books", { name })).id

  return [
    {
      name: "sending",
      items: queued,
      async prepare() {
        await queue(queued)
        return sendQueued
      },
    },
    {
      name: "webhook deliveries",
      items: queued,
      async prepare() {
        let told = 0
        const receiver = createServer((request, response) => {
          request.resume().on("end", () => {
            told++
            response.end("ok")
          })
        }).listen(0, "127.0.0.1")
        await once(receiver, "listening")
        const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
        const { id } = await call("POST", "/webhooks", { url, events: ["email.delivered"] })
        await queue(queued)
        return async () => {
          await tick()
          await until(async () => told >= queued)
          await call("DELETE", `/webhooks/${id}`)
          receiver.close()
          receiver.closeAllConnections()
        }
      },
    },
    {
      name: "changes to 100 readers",
      items: queued * 100,
      async prepare() {
        await queue(queued)
        const stop = new AbortController()
        let changes = 0
        const read = async () => {
          const reply = await fetch(`${baseUrl}/stream`, { headers, signal: stop.signal })
          for await (const piece of reply.body ?? []) {
            changes += Buffer.from(piece).toString().split("\ndata:").length - 1
          }
        }
        const readers = Array.from({ length: 100 }, () => read().catch(() => {}))
        await new Promise((resolve) => setTimeout(resolve, 500))
        return async () => {
          await tick()
          await until(async () => changes >= queued * 100)
          stop.abort()
          await Promise.all(readers)
        }
      },
    },
    {
      name: "import of contacts",
      items: 10_000,
      async prepare() {
        const book = await newBook("Import")
        return () =>
          call("POST", `/contact-books/${book}/contacts/import`, { csv: contacts(10_000) })
      },
    },
    {
      name: "campaign",
      items: 10_000,
      async prepare() {
        const bookId = await newBook("Campaign")
        await call("POST", `/contact-books/${bookId}/contacts/import`, { csv: contacts(10_000) })
        const { data } = await call("GET", "/domains")
        const { id } = await call("POST", "/campaigns", {
          name: "News",
          bookId,
          domainId: data[0].id,
          from: "News <news@demo.test>",
          subject: "News",
          blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
        })
        return async () => {
          await call("POST", `/campaigns/${id}/send`)
          await until(async () => {
            await new Promise((resolve) => setTimeout(resolve, 500))
            return (await call("GET", `/campaigns/${id}`)).counts.sent >= 10_000
          })
        }
      },
    },
  ]
}

/** Runs the first job with this name. */
export async function createJob(platform: Platform, queued: number, name: string) {
  const job = jobs(platform, queued).find((one) => one.name.includes(name))
  return job ? await job.prepare() : undefined
}

export async function measureJobs(
  platform: Platform,
  { queued, only }: { queued: number; only: readonly string[] },
) {
  const lines: string[][] = []
  for (const { name, items, prepare } of jobs(platform, queued)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue
    const run = await prepare()
    const [cpuBefore, startedAt] = [cpuMs(platform.workerd), performance.now()]
    await run()
    const seconds = (performance.now() - startedAt) / 1000
    const cpu = cpuMs(platform.workerd) - cpuBefore
    lines.push([
      name,
      String(items),
      (items / seconds).toFixed(0),
      seconds.toFixed(1),
      ((1000 * cpu) / items).toFixed(0),
      "",
    ])
  }
  if (lines.length === 0) return
  console.log("\nIn the background")
  printTable(["job", "items", "a second", "seconds", "CPU µs each", ""], lines)
}
