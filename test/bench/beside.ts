import { createJob } from "./jobs.ts"
import { message } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { median, printTable } from "./table.ts"

const LONE_EMAILS = 20
const LOOK_EVERY_MS = 5
const JOBS = ["sending", "campaign"]

/** Emails of another team, one after the other: alone, and beside each long job. */
export async function measureBeside(platform: Platform, queued: number) {
  await sendLone(platform)
  const lines = [["alone", ...(await sendLone(platform))]]
  for (const name of JOBS) {
    const job = await createJob(platform, queued, name)
    const ended = job?.()
    lines.push([`beside ${name}`, ...(await sendLone(platform))])
    await ended
  }
  console.log(`\nA lone email, medians of ${LONE_EMAILS}`)
  printTable(["", "ms until accepted", "ms from accepted to sent", ""], lines)
}

export async function sendLone({ ports, credentials }: Platform): Promise<string[]> {
  const headers = { authorization: `Bearer ${credentials.other.apiKey}` }
  const call = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`http://127.0.0.1:${ports.edgepost}/api/v1${path}`, {
      ...init,
      headers,
    })
    return (await reply.json()) as { id: string; createdAt: string; sentAt: string | null }
  }
  const body = JSON.stringify(message({ from: "hello@other.test" }))
  const accepted: number[] = []
  const sent: number[] = []
  while (sent.length < LONE_EMAILS) {
    const startedAt = performance.now()
    let email = await call("/emails", { method: "POST", body })
    accepted.push(performance.now() - startedAt)
    while (!email.sentAt) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      email = await call(`/emails/${email.id}`)
    }
    sent.push(Date.parse(email.sentAt) - Date.parse(email.createdAt))
  }
  return [median(accepted).toFixed(0), median(sent).toFixed(0), ""]
}
