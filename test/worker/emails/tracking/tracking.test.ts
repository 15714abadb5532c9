import { env } from "cloudflare:workers"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { signBytes } from "../../../../src/lib/token.ts"
import type { QueueMessage } from "../../../../src/worker/consume.ts"
import { recordEvents } from "../../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { recordHit, type Visitor } from "../../../../src/worker/emails/tracking/hits.ts"
import { clickUrl, openUrl } from "../../../../src/worker/emails/tracking/links.ts"
import { BASE_URL, request } from "../../../support/api.ts"
import { eventually } from "../../../support/eventually.ts"
import { metered } from "../../../support/meter.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { type Clock, makeClock, testWork } from "../../../support/work.ts"

const DAY_MS = 24 * 3_600_000
const { settings } = testWork().work

const HTML = `<body><a href="https://x.test/?a=1&amp;b=2">x</a></body>`

interface Event {
  id: string
  type: string
  occurredAt: string
  url?: string
  userAgent?: string
  ip?: string
}

/** Sends an email and waits until its mailbox has it; the links of its HTML part come back. */
async function send(team: Team, options: Record<string, unknown>, html = HTML) {
  const { body } = await team.api.post("/emails", {
    from: `sender@${team.domain}`,
    to: `someone@${team.domain}`,
    subject: "Hello",
    html,
    ...options,
  })
  const emailId: string = body.id
  const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${emailId}&wait=30`)
  const links: string[] = inbox.data[0].links
  return {
    emailId,
    pixel: links.map(pathOf).find((path) => path.startsWith("/t/o/")),
    link: links.map(pathOf).find((path) => path.startsWith("/t/c/")),
    html: inbox.data[0].html as string,
  }
}

const pathOf = (url: string) => new URL(url).pathname

async function hitsOf(team: Team, emailId: string): Promise<Event[]> {
  const { body } = await team.api.get(`/emails/${emailId}`)
  return body.events.filter(({ type }: Event) => type === "opened" || type === "clicked")
}

const fetchAs = (userAgent: string, path: string, method = "GET") =>
  request(method, path, undefined, { "user-agent": userAgent, "cf-connecting-ip": "192.0.2.1" })

describe("an email with tracking", () => {
  it("records opens and clicks on any hostname of the Worker", async () => {
    expect(new URL(BASE_URL).host).not.toBe(new URL(settings.BASE_URL).host)
    const team = await makeTeam()
    const {
      emailId,
      pixel = "",
      link = "",
    } = await send(team, {
      trackOpens: true,
      trackClicks: true,
    })
    const gif = await fetchAs("Mail/1", pixel)
    expect(gif.status).toBe(200)
    expect(gif.headers.get("content-type")).toBe("image/gif")
    expect(gif.headers.get("cache-control")).toBe("no-store")
    expect(gif.body).toMatch(/^GIF89a/)
    const redirect = await fetchAs("Browser/1", link)
    expect(redirect.status).toBe(302)
    expect(redirect.headers.get("location")).toBe("https://x.test/?a=1&b=2")
    await eventually(async () => {
      expect(await hitsOf(team, emailId)).toMatchObject([
        { type: "opened", userAgent: "Mail/1", ip: "192.0.2.1" },
        {
          type: "clicked",
          userAgent: "Browser/1",
          ip: "192.0.2.1",
          url: "https://x.test/?a=1&b=2",
        },
      ])
      const { body } = await team.api.get(`/emails/${emailId}`)
      expect(body.status).toBe("delivered")
    })
  })

  it("is sent unchanged where neither the email nor its team wants tracking", async () => {
    const team = await makeTeam()
    expect((await send(team, {})).html.trim()).toBe(HTML)
    expect((await send(team, { trackOpens: false, trackClicks: false })).html.trim()).toBe(HTML)
  })

  it("keeps the links of its own header List-Unsubscribe", async () => {
    const team = await makeTeam()
    const own = '<a href="https://x.test/leave?a=1&amp;b=2">Leave</a>'
    const header = "<mailto:leave@x.test>, <https://x.test/leave?a=1&b=2>"
    const options = { trackClicks: true, headers: { "list-unsubscribe": header } }
    const { html } = await send(team, options, `${own}<a href="https://x.test/leave">x</a>`)
    const shortened = html.replaceAll(/[^"]+\/t\/c\/[^"]+/g, "tracked").trim()
    expect(shortened).toBe(`${own}<a href="tracked">x</a>`)
  })

  it("follows its team's settings, unless the email overrides them", async () => {
    const team = await makeTeam()
    await env.DB.prepare("update teams set track_opens = 1, track_clicks = 1 where id = ?")
      .bind(team.id)
      .run()
    expect(await send(team, {})).toMatchObject({
      pixel: expect.any(String),
      link: expect.any(String),
    })
    expect(await send(team, { trackOpens: false })).toMatchObject({
      pixel: undefined,
      link: expect.any(String),
    })
    expect(await send(team, { trackClicks: false })).toMatchObject({
      pixel: expect.any(String),
      link: undefined,
    })
  })

  it("is not counted by HEAD, which gets the same reply", async () => {
    const sent = vi.spyOn(env.OUTCOMES, "sendBatch")
    onTestFinished(() => sent.mockRestore())
    const counted = () => queued(sent.mock.calls).filter(({ emailId }) => emailId === email.emailId)
    const email = { teamId: newId("team"), emailId: newId("email") }
    const click = pathOf(clickUrl(settings, email, "https://x.test/"))
    const pixel = await fetchAs("Bot/1", pathOf(openUrl(settings, email)), "HEAD")
    const link = await fetchAs("Bot/1", click, "HEAD")
    expect([pixel.status, link.status]).toEqual([200, 302])
    expect(link.headers.get("location")).toBe("https://x.test/")
    await fetchAs("Person/1", click)
    await eventually(() => expect(counted()).toMatchObject([{ data: { userAgent: "Person/1" } }]))
  })
})

it("a message with more than 2,000 links says on its timeline that clicks are not tracked", async () => {
  const team = await makeTeam()
  const html = `<body>${'<a href="https://x.test/">x</a>'.repeat(2_001)}</body>`
  const { emailId, pixel, link } = await send(team, { trackClicks: true, trackOpens: true }, html)
  expect({ pixel, link }).toEqual({ pixel: expect.any(String), link: undefined })
  const sentEntry = async (id: string) => {
    const { body } = await team.api.get(`/emails/${id}`)
    return body.events.find(({ type }: Event) => type === "sent")
  }
  await eventually(async () => {
    expect(await sentEntry(emailId)).toMatchObject({ untracked: "too_many_links" })
  })
  const wrapped = await send(team, { trackClicks: true })
  await eventually(async () => expect(await sentEntry(wrapped.emailId)).toBeDefined())
  expect(await sentEntry(wrapped.emailId)).not.toHaveProperty("untracked")
})

describe("a token", () => {
  const email = { teamId: newId("team"), emailId: newId("email") }
  const url = "https://x.test/\u00fc?a=1&b=2#c"

  it("adds at most 64 characters to a third of the url", () => {
    const token = (address: string) => pathOf(address).split("/").at(-1) ?? ""
    expect(token(openUrl(settings, email))).toHaveLength(64)
    expect(token(clickUrl(settings, email, "https://x.test/".padEnd(300, "a")))).toHaveLength(464)
  })

  it("of a link redirects", async () => {
    const { status, headers } = await request("GET", pathOf(clickUrl(settings, email, url)))
    expect([status, headers.get("location")]).toEqual([302, new URL(url).href])
  })

  it("of a pixel shows it", async () => {
    expect((await request("GET", pathOf(openUrl(settings, email)))).status).toBe(200)
  })
})

describe("a hostile token", () => {
  const key = settings.SIGNING_KEY
  const email = { teamId: newId("team"), emailId: newId("email") }
  const url = "https://evil.test/a"
  const token = pathOf(clickUrl(settings, email, url)).slice("/t/c/".length)
  const bytes = Buffer.from(token, "base64url")
  const changed = (index: number) => {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ 1
    return copy.toString("base64url")
  }
  const payload = bytes.subarray(16)
  /** The last character of these 67 bytes has bits to spare. */
  const spelledOtherwise = `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(token.length - 1) + 1)}`

  it.each([
    ["of another key", signBytes("another key, also of 32 characters", "click", payload)],
    ["of a pixel", pathOf(openUrl(settings, email)).slice("/t/o/".length)],
    ["of another purpose", signBytes(key, "unsubscribe", payload)],
    ["whose signature was changed", changed(0)],
    ["whose email was changed", changed(40)],
    ["whose url was changed", changed(bytes.length - 1)],
    ["without its last byte", bytes.subarray(0, -1).toString("base64url")],
    ["with a byte more", Buffer.concat([bytes, Buffer.from("/")]).toString("base64url")],
    ["without a signature", payload.toString("base64url")],
    ["shorter than a signature", bytes.subarray(0, 15).toString("base64url")],
    ["of a signature alone", bytes.subarray(0, 16).toString("base64url")],
    ["spelled otherwise", spelledOtherwise],
    ["with padding", `${token}=`],
    ["that leads to a script", signBytes(key, "click", script())],
    ["without a url", signBytes(key, "click", payload.subarray(0, 32))],
    ["without an email", signBytes(key, "click", Buffer.from(url))],
  ])("%s redirects nowhere, without a database call", async (_what, hostile) => {
    let reply = { status: 0, headers: new Headers() }
    const meter = await metered(async () => {
      reply = await request("GET", `/t/c/${hostile}?u=${url}`)
    })
    expect([reply.status, reply.headers.get("location")]).toEqual([404, null])
    expect(meter.roundTrips).toBe(0)
  })

  function script() {
    return Buffer.concat([payload.subarray(0, 32), Buffer.from("javascript:alert(1)")])
  }

  it("in another spelling has the same bytes", () => {
    expect(Buffer.from(spelledOtherwise, "base64url").equals(bytes)).toBe(true)
  })

  it("of a click does not work for a pixel", async () => {
    expect((await request("GET", `/t/o/${token}`)).status).toBe(404)
    expect((await request("GET", `/t/c/${token}`)).status).toBe(302)
  })
})

/** The events that were put into the queue. */
const queued = (calls: unknown[][]) =>
  calls.flatMap(([messages]) =>
    (messages as { body: QueueMessage }[]).flatMap(({ body }) =>
      "events" in body ? body.events : [],
    ),
  )

describe("a hit is counted", () => {
  /** Makes the hits at the clock's time and records what they put into the queue. */
  async function record(
    team: Team,
    emailId: string,
    clock: Clock,
    hits: [Visitor, string?][],
    { together = false } = {},
  ) {
    const { work, settled } = testWork({ clock })
    const sent = vi.spyOn(env.OUTCOMES, "sendBatch").mockImplementation(async () => ({}) as never)
    for (const [visitor, url] of hits) {
      recordHit(work, { teamId: team.id, emailId }, visitor, url)
    }
    await settled()
    const events = queued(sent.mock.calls)
    sent.mockRestore()
    if (together) await recordEvents(work, events)
    else for (const event of events) await recordEvents(work, [event])
  }

  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const one = { userAgent: "One", ip: "192.0.2.1" }
  const other = { userAgent: "Other", ip: "192.0.2.1" }

  async function sentEmail() {
    const team = await makeTeam()
    const { emailId } = await send(team, {})
    return { team, emailId }
  }

  it("once per user agent and UTC day for opens", async () => {
    const { team, emailId } = await sentEmail()
    const clock = makeClock(midnight)
    await record(team, emailId, clock, [[one], [one], [other], [{ ...one, ip: "192.0.2.2" }]])
    clock.advance(DAY_MS - 1)
    await record(team, emailId, clock, [[one]])
    expect(await hitsOf(team, emailId)).toHaveLength(2)
    clock.advance(1)
    await record(team, emailId, clock, [[one]])
    expect((await hitsOf(team, emailId)).map(({ userAgent }) => userAgent).sort()).toEqual([
      "One",
      "One",
      "Other",
    ])
  })

  it("once per url, user agent and UTC day for clicks", async () => {
    const { team, emailId } = await sentEmail()
    const clock = makeClock(midnight + 1)
    const [a, b] = ["https://x.test/a", "https://x.test/b"]
    await record(team, emailId, clock, [[one, a], [one, a], [one, b], [other, a], [one]])
    expect((await hitsOf(team, emailId)).map(({ type, url }) => `${type} ${url}`).sort()).toEqual([
      `clicked ${a}`,
      `clicked ${a}`,
      `clicked ${b}`,
      "opened undefined",
    ])
  })

  it("with a user agent cut at 512 characters, or without one", async () => {
    const { team, emailId } = await sentEmail()
    const clock = makeClock(midnight)
    const userAgent = "x".repeat(2_000)
    await record(team, emailId, clock, [[{ userAgent, ip: "" }], [{ userAgent: "", ip: "" }]])
    const lengths = (await hitsOf(team, emailId)).map((event) => event.userAgent?.length)
    expect(lengths.sort()).toEqual([512, undefined])
  })

  const visitors = (count: number, from = 0): Visitor[] =>
    Array.from({ length: count }, (_, index) => ({ ...one, userAgent: `Robot ${from + index}` }))
  const opens = (count: number, from?: number) =>
    visitors(count, from).map((visitor): [Visitor] => [visitor])
  const clicks = (count: number, from?: number) =>
    visitors(count, from).map((visitor): [Visitor, string] => [visitor, "https://x.test/"])

  async function recorded(team: Team, emailId: string) {
    const { results } = await env.DB.prepare(
      "select type, count(*) as n from email_events where team_id = ? and email_id = ? group by type",
    )
      .bind(team.id, emailId)
      .all<{ type: string; n: number }>()
    const of = (type: string) => results.find((row) => row.type === type)?.n ?? 0
    return [of("opened"), of("clicked")]
  }

  it.each([true, false])(
    "at most 50 times a day of each kind (in one batch: %s)",
    async (together) => {
      const { team, emailId } = await sentEmail()
      const clock = makeClock(midnight)
      await record(team, emailId, clock, [...opens(49), ...clicks(40)], { together: true })
      await record(team, emailId, clock, [...opens(49), ...opens(1), ...clicks(20)], { together })
      await record(team, emailId, clock, [...opens(11, 49), ...clicks(60)], { together })
      expect(await recorded(team, emailId)).toEqual([50, 50])
      clock.advance(DAY_MS)
      await record(team, emailId, clock, [...opens(60), ...clicks(7)], { together })
      expect(await recorded(team, emailId)).toEqual([100, 57])
    },
  )

  it("at most 50 times a day, where consumers race", async () => {
    const { team, emailId } = await sentEmail()
    const clock = makeClock(midnight)
    await Promise.all(
      [0, 20, 40, 60].map((from) => recordEvents(testWork({ clock }).work, openEvents(from))),
    )
    expect(await recorded(team, emailId)).toEqual([50, 0])

    function openEvents(from: number) {
      return opens(20, from).map(([{ userAgent }]) => ({
        ...reportOf({ teamId: team.id, emailId }, "opened", midnight, { userAgent }, userAgent),
        occurredAt: midnight + 1,
      }))
    }
  })

  it("without writes and with few reads beyond the limit", async () => {
    const { team, emailId } = await sentEmail()
    const clock = makeClock(midnight)
    const all = [...opens(50), ...clicks(50)]
    await record(team, emailId, clock, all, { together: true })
    const meter = await metered(() => record(team, emailId, clock, clicks(1, 50)))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThan(1_500)
    const other = await sentEmail()
    const first = await metered(() => record(other.team, other.emailId, clock, clicks(1)))
    expect(first.roundTrips).toBe(1)
    expect(first.rowsWritten).toBeLessThanOrEqual(5)
  })

  it("never for an email that was purged", async () => {
    const team = await makeTeam()
    const emailId = newId("email")
    await record(team, emailId, makeClock(), [[one]])
    const { results } = await env.DB.prepare("select * from email_events where email_id = ?")
      .bind(emailId)
      .all()
    expect(results).toEqual([])
  })
})
