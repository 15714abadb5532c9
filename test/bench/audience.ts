import { fillBook, PRO_OF_TEN } from "./fill/contacts.ts"
import type { Platform } from "./platform.ts"
import { residentMib } from "./process.ts"
import { printTable } from "./table.ts"

const LINES = 6

/** A campaign to three of ten contacts of a large book: when its first mail leaves, memory, pace. */
export async function measureAudience(platform: Platform, contacts: number) {
  const { call, tick } = callsOf(platform)
  const { id: bookId } = await call("POST", "/contact-books", { name: "Readers" })
  const book = { teamId: platform.credentials.teamId, bookId }
  await fillBook(platform.db, book, { from: 0, to: contacts })
  const filter = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
  const segment = await call("POST", "/segments", { name: "On the pro plan", bookId, filter })
  const expected = (contacts / 10) * PRO_OF_TEN
  const { data: domains } = await call("GET", "/domains")
  const { id } = await call("POST", "/campaigns", {
    name: "News",
    bookId,
    segmentId: segment.id,
    domainId: domains[0].id,
    from: "News <news@demo.test>",
    subject: "News",
    blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
  })
  const counts = async () => (await call("GET", `/campaigns/${id}`)).counts
  const lines: string[][] = []
  const startedAt = performance.now()
  const note = (name: string) => {
    const seconds = (performance.now() - startedAt) / 1_000
    lines.push([name, seconds.toFixed(1), residentMib(platform.workerd).toFixed(0), ""])
  }
  note("before")
  await call("POST", `/campaigns/${id}/send`)
  await until(async () => (await counts()).sent > 0, 50)
  note("first mail has left")
  for (let step = 1; step <= LINES; step++) {
    const goal = Math.round((expected * step) / LINES)
    await until(async () => (await counts()).recipients >= goal, 1_000, tick)
    note(`${goal} emails`)
  }
  await until(async () => (await counts()).delivered === expected, 1_000, tick)
  note("all delivered")
  console.log(`\nA campaign to a segment of ${expected} of ${contacts} contacts`)
  printTable(["", "seconds", "workerd MiB", ""], lines)
  await judge(platform, id, expected)
}

/** Each member of the segment has exactly one email, and nobody else has any. */
async function judge({ db, credentials }: Platform, campaignId: string, expected: number) {
  const found = await db
    .prepare(
      `select count(*) as emails, count(distinct r.address) as addresses,
         sum(cast(substr(r.address, 8) as integer) % 10 >= ?3) as strangers
       from email_recipients r cross join emails e on e.team_id = r.team_id and e.id = r.email_id
       where r.team_id = ?1 and e.campaign_id = ?2`,
    )
    .bind(credentials.teamId, campaignId, PRO_OF_TEN)
    .first()
  const wanted = { emails: expected, addresses: expected, strangers: 0 }
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`mailed ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
}

export function callsOf(platform: Platform) {
  const { ports, credentials } = platform
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await fetch(`http://127.0.0.1:${ports.edgepost}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credentials.apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return reply.json()
  }
  let tickedAt = performance.now()
  /** The minute's work, once a minute as on Cloudflare. */
  const tick = async () => {
    if (performance.now() - tickedAt < 60_000) return
    tickedAt = performance.now()
    await platform.tick()
  }
  return { call, tick }
}

export async function until(
  isDone: () => Promise<boolean>,
  everyMs: number,
  between?: () => Promise<void>,
) {
  while (!(await isDone())) {
    await between?.()
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
