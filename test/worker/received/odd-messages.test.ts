import { env } from "cloudflare:workers"
import PostalMime from "postal-mime"
import { beforeEach, expect, it } from "vitest"
import { MINUTE_MS } from "../../../src/lib/time.ts"
import { DIRECTORY, workIn } from "../../../src/worker/platform/db/databases.ts"
import { receive } from "../../../src/worker/received/taking/email.ts"
import { workOff } from "../../../src/worker/received/taking/work-off.ts"
import { BASE_URL } from "../../support/api.ts"
import { createDriver } from "../../support/driver.ts"
import { DNS_HOST, makeFakeDns } from "../../support/fake-dns.ts"
import { callWorker } from "../../support/meter.ts"
import { mutated, ODD_MESSAGES } from "../../support/odd-messages.ts"
import { fakeOutside } from "../../support/outside.ts"
import { makeInbox } from "../../support/receiving.ts"
import { makeTeam } from "../../support/team.ts"

beforeEach(() => {
  fakeOutside({ [DNS_HOST]: makeFakeDns().handler })
})

/** The nightly has more of them. */
const MALFORMED = Number(env.MALFORMED_MESSAGES || 60)
const A_MINUTE = 50

async function makeStage() {
  const driver = createDriver()
  const team = await makeTeam()
  const { address } = await makeInbox(team)
  return {
    ...{ team, driver },
    async mail(bytes: Buffer) {
      let refused: string | undefined
      await receive(workIn(driver.work, DIRECTORY), {
        ...{ from: "ada@example.com", to: address, rawSize: bytes.length },
        raw: new Blob([new Uint8Array(bytes)]).stream(),
        setReject: (reason: string) => {
          refused = reason
        },
      } as unknown as ForwardableEmailMessage)
      return refused
    },
    async all() {
      const { results } = await env.DB.prepare(
        "select id, parsed, attempts, object_key from received_emails where team_id = ? order by id",
      )
        .bind(team.id)
        .all<{ id: string; parsed: 0 | 1 | null; attempts: number; object_key: string }>()
      return results
    },
  }
}

const trimmed = (text: string | null | undefined) => text?.replace(/\r\n?/g, "\n").trim() || null

/** The other parser reads each byte that is no UTF-8 as unknown, and an inner message as text of the outer one. */
const OF_OTHER_SUBJECT = ["bytes of no charset"]
const OF_OTHER_TEXT = [...OF_OTHER_SUBJECT, "a message in a message"]
const OF_OTHER_FILES = ["a message in a message"]
/** Kept as they came. */
const NOT_PARSED = ["too deep a structure"]

it.each(Object.entries(ODD_MESSAGES))(
  "reads a message with %s as another parser does",
  async (name, bytes) => {
    const { team, driver, mail, all } = await makeStage()
    expect(await mail(bytes)).toBeUndefined()
    await workOff(driver.work)
    const [{ id = "" } = {}] = await all()
    const path = `/received-emails/${id}`
    const { body: received } = await team.api.get(path)
    const headers = { authorization: `Bearer ${team.api.key}` }
    const raw = await callWorker(new Request(`${BASE_URL}/api/v1${path}/raw`, { headers }))
    expect(Buffer.compare(Buffer.from(await raw.arrayBuffer()), bytes)).toBe(0)
    expect(received.parsed).toBe(!NOT_PARSED.includes(name))
    if (!received.parsed) return
    const other = await PostalMime.parse(new Uint8Array(bytes))
    if (!OF_OTHER_SUBJECT.includes(name)) expect(received.subject).toBe(other.subject ?? "")
    expect(received.from.email).toBe(other.from?.address?.toLowerCase() ?? "ada@example.com")
    const files = received.attachments.map((one: Record<string, string>) => [
      one.filename,
      one.contentType,
    ])
    if (!OF_OTHER_FILES.includes(name))
      expect(files).toEqual(other.attachments.map(({ filename, mimeType }) => [filename, mimeType]))
    expect(trimmed(received.html)).toBe(trimmed(other.html))
    if (!OF_OTHER_TEXT.includes(name)) expect(trimmed(received.text)).toBe(trimmed(other.text))
  },
)

it("a malformed message is kept or refused, and is not tried again", async () => {
  const { team, driver, mail, all } = await makeStage()
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let kept = 0
  for (let done = 0; done < MALFORMED; done++) {
    if (done % A_MINUTE === 0) {
      driver.clock.advance(MINUTE_MS + 1)
      await workOff(driver.work)
    }
    if ((await mail(mutated(random))) === undefined) kept++
  }
  await workOff(driver.work)
  driver.clock.advance(MINUTE_MS + 1)
  await workOff(driver.work)
  const rows = await all()
  expect(rows.filter(({ parsed, attempts }) => parsed === null || attempts !== 1)).toEqual([])
  expect(rows.length).toBeGreaterThan(kept / 2)
  for (const { id } of rows.slice(0, A_MINUTE)) {
    for (const path of [`/received-emails/${id}`, `/received-emails/${id}/raw`])
      expect((await team.api.get(path)).status).toBe(200)
  }
  expect((await team.api.get("/threads")).status).toBe(200)
})
