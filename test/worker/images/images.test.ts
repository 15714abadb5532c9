import { env } from "cloudflare:workers"
import { describe, expect, it, onTestFinished } from "vitest"
import { DAY_MS } from "../../../src/lib/time.ts"
import { sweepImages } from "../../../src/worker/images/sweep.ts"
import { sweepDeletedTeams } from "../../../src/worker/teams/deletion/sweep.ts"
import { BASE_URL, request } from "../../support/api.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { gifOf, jpegOf, pngOf, webpOf } from "../../support/images.ts"
import { callWorker } from "../../support/meter.ts"
import { send, sequenceInput } from "../../support/sequence.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

async function open() {
  const team = await makeTeam()
  const cookie = await sessionOf(team.id, "member")
  const ask = (method: string, path: string, body?: unknown) =>
    request(method, `/dashboard/api${path}`, body, { cookie })
  return { team, ask, upload: (bytes: BodyInit) => uploadAs(cookie, bytes) }
}

async function uploadAs(cookie: string, body: BodyInit, headers: Record<string, string> = {}) {
  const init = { method: "POST", headers: { cookie, ...headers }, body }
  const response = await callWorker(new Request(`${BASE_URL}/dashboard/api/images`, init))
  return { status: response.status, body: (await response.json()) as Reply }
}
type Reply = { id: string; url: string; width: number; height: number; error: { code: string } }

const show = (url: string, init?: RequestInit) =>
  callWorker(new Request(BASE_URL + new URL(url).pathname, init))

const random = (width: number) => {
  const bytes = new Uint8Array([...pngOf(width, 10), ...new Uint8Array(16)])
  crypto.getRandomValues(bytes.subarray(45))
  return bytes
}

describe("uploading an image", () => {
  it.each([
    ["png", "image/png", pngOf(20, 10)],
    ["jpg", "image/jpeg", jpegOf(20, 10)],
    ["gif", "image/gif", gifOf(20, 10)],
    ["webp", "image/webp", webpOf("VP8L", 20, 10)],
  ])("answers a public address of a %s with its size", async (extension, type, bytes) => {
    const { upload } = await open()
    const { status, body } = await upload(bytes)
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^img_[0-9A-HJKMNP-TV-Z]{26}$/),
        url: expect.stringMatching(new RegExp(`^https?://[^/]+/i/[\\w-]{22}\\.${extension}$`)),
        width: 20,
        height: 10,
      },
    ])
    const shown = await show(body.url)
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(bytes)
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "content-length": String(bytes.length),
    })
  })

  it("takes the content's word for the type, not the caller's", async () => {
    const { team } = await open()
    const cookie = await sessionOf(team.id, "member")
    const { body } = await uploadAs(cookie, gifOf(3, 4), { "content-type": "text/html" })
    expect((await show(body.url)).headers.get("content-type")).toBe("image/gif")
  })

  it.each([
    ["an svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"],
    ["a page", "<!doctype html><script>alert(1)</script>"],
    ["nothing", ""],
  ])("refuses %s", async (_name, text) => {
    const { upload } = await open()
    const { status, body } = await upload(text)
    expect([status, body.error.code]).toEqual([400, "validation_error"])
  })

  it("takes 5 MB, and refuses a byte more", async () => {
    const { upload } = await open()
    const bytes = new Uint8Array(5 * 1024 * 1024 + 1)
    bytes.set(pngOf(5, 5))
    expect((await upload(bytes.subarray(0, -1))).status).toBe(201)
    const { status, body } = await upload(bytes)
    expect([status, body.error.code]).toEqual([413, "payload_too_large"])
  })

  it("refuses more than 50 megapixels, and more than a gigabyte of a team", async () => {
    const { team, upload } = await open()
    expect((await upload(pngOf(10_001, 5_000))).status).toBe(400)
    const first = random(20)
    expect((await upload(first)).status).toBe(201)
    await env.DB.prepare("update images set bytes = 1000000000 where team_id = ?")
      .bind(team.id)
      .run()
    const refused = await upload(random(20))
    expect([refused.status, refused.body.error]).toEqual([
      409,
      { code: "conflict", message: "A team has at most 1,000 images, of 1 GB in all." },
    ])
    expect((await upload(first)).status).toBe(201)
  })

  it("answers the same image for the same file of a team, and another team's own", async () => {
    const [mine, theirs] = [await open(), await open()]
    const bytes = random(30)
    const replies = await Promise.all([mine.upload(bytes), mine.upload(bytes)])
    expect(replies[0]?.body).toEqual(replies[1]?.body)
    const other = (await theirs.upload(bytes)).body
    expect(other.url).not.toBe(replies[0]?.body.url)
    expect((await show(other.url)).status).toBe(200)
  })

  it("needs a session, and no key may do it", async () => {
    const { team } = await open()
    expect((await uploadAs("", pngOf(1, 1))).status).toBe(401)
    const { api } = team
    expect((await api.post("/images", "x")).status).toBe(404)
  })
})

describe("the address of an image", () => {
  it("answers 304 to a reader that has it, and HEAD without a body", async () => {
    const { upload } = await open()
    const { url } = (await upload(random(6))).body
    const first = await show(url)
    const etag = first.headers.get("etag") ?? ""
    await first.body?.cancel()
    const again = await show(url, { headers: { "if-none-match": etag } })
    expect([again.status, again.headers.get("etag")]).toEqual([304, etag])
    const head = await show(url, { method: "HEAD" })
    expect([head.status, await head.text()]).toEqual([200, ""])
  })

  it.each(["x.png", `${"a".repeat(22)}.png`, `${"a".repeat(22)}.svg`, "..%2Fpacks%2Fx"])(
    "%s is unknown",
    async (name) => {
      const reply = await request("GET", `/i/${name}`)
      expect([reply.status, reply.headers.get("cache-control")]).toEqual([404, "no-store"])
    },
  )
})

describe("an image that nothing names", () => {
  /** Runs the sweep each day. */
  function timeline() {
    const clock = makeClock()
    const { work } = testWork({ clock })
    const pass = async (days: number) => {
      for (let day = 0; day < days; day++) {
        clock.advance(DAY_MS + 1)
        await sweepImages(work)
      }
    }
    return { work, clock, pass }
  }
  const isKept = async (url: string) => (await show(url)).status === 200

  it("is deleted after 30 days, with its row", async () => {
    const { team, upload } = await open()
    const { url } = (await upload(random(7))).body
    const { pass } = timeline()
    await pass(30)
    expect(await isKept(url)).toBe(true)
    await pass(1)
    expect(await isKept(url)).toBe(false)
    const rows = await env.DB.prepare("select * from images where team_id = ?").bind(team.id).all()
    expect(rows.results).toEqual([])
  })

  it("gets 30 more days by another upload, and a new address after its end", async () => {
    const { upload } = await open()
    const bytes = random(8)
    const { url } = (await upload(bytes)).body
    const { pass } = timeline()
    await pass(29)
    expect((await upload(bytes)).body.url).toBe(url)
    await pass(30)
    expect(await isKept(url)).toBe(true)
    await pass(2)
    expect(await isKept(url)).toBe(false)
    expect(await isKept((await upload(bytes)).body.url)).toBe(true)
  })

  it.each(["brand", "campaign", "sequence", "form", "layout", "template", "draft", "version"])(
    "is kept as long as a %s names it",
    async (place) => {
      const { team, ask, upload } = await open()
      const { url } = (await upload(random(9))).body
      const blocks = [{ kind: "image", url, alt: "Logo" }]
      const end = await PLACES[place as keyof typeof PLACES]({ team, ask, url, blocks })
      const { pass } = timeline()
      await pass(80)
      expect(await isKept(url)).toBe(true)
      await end()
      await pass(29)
      expect(await isKept(url)).toBe(true)
      await pass(9)
      expect(await isKept(url)).toBe(false)
    },
  )

  type Place = Pick<Awaited<ReturnType<typeof open>>, "team" | "ask"> & {
    url: string
    blocks: object[]
  }
  /** Each names the image, and answers how that ends. */
  const PLACES = {
    async brand({ team, url }: Place) {
      const cookie = await sessionOf(team.id, "admin")
      const set = (brand: object | null) =>
        request("PATCH", "/dashboard/api/team", { brand }, { cookie })
      await set({ logoUrl: url })
      return () => set(null)
    },
    async campaign({ team, blocks }: Place) {
      const id = await makeCampaign(team, [], { blocks })
      return () => team.api.patch(`/campaigns/${id}`, { blocks: [{ kind: "divider" }] })
    },
    async sequence({ team, blocks }: Place) {
      const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
      const { body } = await team.api.post("/sequences", {
        ...sequenceInput(team, book.id),
        steps: [{ ...send("hi"), blocks }],
      })
      const changed = { version: body.version, steps: [send("hi")] }
      return () => team.api.patch(`/sequences/${body.id}`, changed)
    },
    async form({ team, blocks }: Place) {
      const defaultFrom = `news@${team.domain}`
      const { body: book } = await team.api.post("/contact-books", { name: "Readers", defaultFrom })
      const confirmation = {
        subject: "Confirm",
        blocks: [...blocks, { kind: "button", label: "Confirm", url: "{{ confirmUrl }}" }],
      }
      const form = { bookId: book.id, name: "Join", wording: "I agree.", confirmation }
      const { body } = await team.api.post("/forms", form)
      return () => team.api.patch(`/forms/${body.id}`, { confirmation: null })
    },
    async layout({ ask, blocks }: Place) {
      const { body } = await ask("POST", "/layouts", { name: "Header", blocks })
      return () => ask("PATCH", `/layouts/${body.id}`, { blocks: [{ kind: "divider" }] })
    },
    async template({ team, url }: Place) {
      const { body } = await team.api.post("/templates", templateWith(url))
      return () => team.api.delete(`/templates/${body.id}`)
    },
    async draft({ team, ask, url }: Place) {
      const template = { ...templateWith(url), bodyText: null, variablesSchema: { variables: [] } }
      const { body } = await team.api.post("/templates", { ...template, bodyHtml: "<p>Hi</p>" })
      const path = `/templates/${body.id}/draft`
      const draft = await ask("POST", path, { ...template, version: 1, revision: null })
      return () => ask("DELETE", `${path}?revision=${draft.body.revision}`)
    },
    async version({ team, url }: Place) {
      const { body } = await team.api.post("/templates", templateWith(url))
      await team.api.patch(`/templates/${body.id}`, { bodyHtml: "<p>Hi</p>" })
      return () => team.api.delete(`/templates/${body.id}`)
    },
  }
  const templateWith = (url: string) => ({
    slug: "welcome",
    name: "Welcome",
    subject: "Hello",
    bodyHtml: `<img src="${url}" alt="">`,
  })

  it("is not kept by another team that names it", async () => {
    const [mine, other] = [await open(), await open()]
    const { url } = (await mine.upload(random(10))).body
    await other.ask("POST", "/layouts", { name: "x", blocks: [{ kind: "image", url, alt: "" }] })
    const { pass } = timeline()
    await pass(32)
    expect(await isKept(url)).toBe(false)
  })

  it("is kept once a later text names it, and not for a text from before its upload", async () => {
    const { team, ask, upload } = await open()
    const { url } = (await upload(random(12))).body
    const { clock, pass } = timeline()
    const writtenAt = (time: number) =>
      env.DB.prepare("update layouts set updated_at = ? where team_id = ?")
        .bind(time, team.id)
        .run()
    await pass(20)
    await ask("POST", "/layouts", { name: "x", blocks: [{ kind: "image", url, alt: "" }] })
    await writtenAt(clock.now())
    await pass(40)
    expect(await isKept(url)).toBe(true)
    await writtenAt(0)
    await pass(40)
    expect(await isKept(url)).toBe(false)
  })

  it("is deleted although the look-up of another team's image fails", async () => {
    const [failing, other] = [await open(), await open()]
    const urls = [await failing.upload(random(13)), await other.upload(random(14))].map(
      ({ body }) => body.url,
    )
    await env.DB.prepare(
      `create trigger too_long before update of unused_since on images
       when new.team_id = '${failing.team.id}' begin select raise(abort, 'too long'); end`,
    ).run()
    onTestFinished(async () => {
      await env.DB.prepare("drop trigger too_long").run()
    })
    const { clock, work } = timeline()
    for (let day = 0; day < 32; day++) {
      clock.advance(DAY_MS + 1)
      for (let minute = 0; minute < 2; minute++) await sweepImages(work).catch(() => {})
    }
    expect(await Promise.all(urls.map(isKept))).toEqual([true, false])
  })

  it("goes with its team", async () => {
    const { team, upload } = await open()
    const { url } = (await upload(random(11))).body
    const owner = await sessionOf(team.id, "owner")
    const name = `Team ${team.domain}`
    await request("POST", "/dashboard/api/team/delete", { name }, { cookie: owner })
    await sweepDeletedTeams(testWork().work)
    expect(await isKept(url)).toBe(false)
  })
})
