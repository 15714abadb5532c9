import { describe, expect, it } from "vitest"
import { request } from "../../../support/api.ts"
import { metered } from "../../../support/meter.ts"
import { sessionOf } from "../../../support/session.ts"
import { makeTeam } from "../../../support/team.ts"

/** As the dashboard calls them. */
async function open() {
  const { id } = await makeTeam()
  const cookie = await sessionOf(id, "owner")
  const call = (method: string, path: string, body?: unknown) =>
    request(method, `/dashboard/api${path}`, body, { cookie })
  return { call }
}

const blocks = [{ kind: "heading", level: 1, text: "Hello {{ firstName }}" }]

describe("a layout", () => {
  it("is created, read, listed, changed and deleted", async () => {
    const { call } = await open()
    const created = await call("POST", "/layouts", { name: " Header ", blocks })
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^lay_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: "Header",
        blocks,
        theme: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    })
    const path = `/layouts/${created.body.id}`
    expect((await call("GET", path)).body).toEqual(created.body)
    const theme = { font: "serif", contentWidth: 720 }
    const changed = await call("PATCH", path, { theme })
    expect(changed.body).toMatchObject({ name: "Header", blocks, theme })
    expect((await call("GET", "/layouts")).body).toEqual({ data: [changed.body], nextCursor: null })
    expect((await call("PATCH", path, { theme: null })).body.theme).toBeNull()
    expect((await call("DELETE", path)).status).toBe(204)
    expect((await call("GET", path)).status).toBe(404)
    expect((await call("PATCH", path, { name: "x" })).status).toBe(404)
    expect((await call("DELETE", path)).status).toBe(404)
  })

  it.each([
    ["name", { name: "", blocks }],
    ["name", { blocks }],
    ["blocks", { name: "x", blocks: [] }],
    ["blocks", { name: "x", blocks: [{ kind: "text", html: "<script>" }] }],
    ["theme", { name: "x", blocks, theme: { font: "comic" } }],
  ])("is refused with a path: %s", async (field, body) => {
    const { call } = await open()
    const reply = await call("POST", "/layouts", body)
    expect([reply.status, reply.body.error.details[0].path[0]]).toEqual([400, field])
  })

  it("is unknown to another team", async () => {
    const [mine, theirs] = [await open(), await open()]
    const { body } = await mine.call("POST", "/layouts", { name: "Mine", blocks })
    for (const [method, change] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      expect((await theirs.call(method, `/layouts/${body.id}`, change)).status).toBe(404)
    }
  })

  it("is listed a page at a time, newest first", async () => {
    const { call } = await open()
    const ids: string[] = []
    for (let index = 0; index < 30; index++) {
      ids.unshift((await call("POST", "/layouts", { name: "L", blocks })).body.id)
    }
    const idsOf = (reply: { body: { data: { id: string }[] } }) =>
      reply.body.data.map(({ id }) => id)
    const first = await call("GET", "/layouts")
    expect(idsOf(first)).toEqual(ids.slice(0, 25))
    const second = await call("GET", `/layouts?cursor=${first.body.nextCursor}`)
    expect(idsOf(second)).toEqual(ids.slice(25))
    const meter = await metered(() => call("GET", "/layouts"))
    expect(meter.rowsWritten).toBe(0)
    expect(meter.rowsRead).toBeLessThanOrEqual(40)
  })
})
