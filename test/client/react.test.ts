import { createElement, Fragment, Suspense } from "react"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { type Asked, json, startServer } from "./server.ts"

const Welcome = ({ name }: { name: string }) =>
  createElement(
    "html",
    { lang: "en" },
    createElement(
      "body",
      null,
      createElement("h1", { style: { color: "#111111" } }, `Hello ${name} & co`),
      createElement("p", null, "Read ", createElement("a", { href: "https://demo.test/" }, "this")),
    ),
  )
const element = createElement(Welcome, { name: "Ada" })
const empty = createElement(() => null)
const HTML =
  '<!DOCTYPE html><html lang="en"><head></head><body><h1 style="color:#111111">Hello Ada &amp; co</h1>' +
  '<p>Read <a href="https://demo.test/">this</a></p></body></html>'
const TEXT = "Hello Ada & co\n\nRead this (https://demo.test/)"

const base = { from: "a@demo.test", to: "b@example.com", subject: "Hi" }
const sent = (asked: Asked[]) => asked.map(({ body }) => JSON.parse(body))

describe("a React element", () => {
  it("is refused before edgepost/react is imported, and nothing is sent", async () => {
    const { asked, open } = await startServer(json(201, { id: "em_1" }))
    const call = open().emails.send({ ...base, react: element })
    await expect(call).rejects.toMatchObject({
      name: "EdgepostError",
      code: "configuration",
      message: expect.stringContaining('import "edgepost/react"'),
    })
    await expect(open().emails.batch([{ ...base, react: element }])).rejects.toThrow(
      "edgepost/react",
    )
    expect(asked).toEqual([])
  })

  describe("once it is imported", () => {
    beforeAll(() => import("../../src/client/react.ts"))

    it("is rendered to html and text", async () => {
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      await open().emails.send({ ...base, react: element })
      expect(sent(asked)).toEqual([{ ...base, html: HTML, text: TEXT }])
    })

    it.each([
      [{ html: "<p>Own</p>" }, { html: "<p>Own</p>", text: TEXT }],
      [{ text: "Own" }, { html: HTML, text: "Own" }],
      [{ text: "" }, { html: HTML, text: "" }],
      [
        { html: "<p>Own</p>", text: "Own" },
        { html: "<p>Own</p>", text: "Own" },
      ],
      [{ html: undefined } as object, { html: HTML, text: TEXT }],
    ])("gives way to %j", async (explicit, expected) => {
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      await open().emails.send({ ...base, ...explicit, react: element })
      expect(sent(asked)).toEqual([{ ...base, ...expected }])
    })

    it("is rendered in a batch and in a check", async () => {
      const { asked, open } = await startServer(json(200, { data: [] }))
      const bye = createElement(Fragment, null, createElement("p", null, "Bye"))
      const plain = { ...base, text: "Plain" }
      await open().emails.batch([
        { ...base, react: element },
        { ...base, text: "Own", react: bye },
        plain,
      ])
      await open().emails.check({ ...base, react: bye })
      expect(sent(asked)).toEqual([
        [
          { ...base, html: HTML, text: TEXT },
          { ...base, html: "<!DOCTYPE html><p>Bye</p>", text: "Own" },
          plain,
        ],
        { ...base, html: "<!DOCTYPE html><p>Bye</p>", text: "Bye" },
      ])
    })

    it("may have components that suspend", async () => {
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      const Later = async () => createElement("p", null, "Read ", "this ", "x".repeat(20_000))
      const waiting = createElement(
        "html",
        null,
        createElement("body", null, createElement(Suspense, null, createElement(Later))),
      )
      await open().emails.send({ ...base, text: "Own", react: waiting })
      const html =
        "<!DOCTYPE html><html><head></head><body>" +
        `<p>Read this ${"x".repeat(20_000)}</p></body></html>`
      expect(sent(asked)).toEqual([{ ...base, text: "Own", html }])
    })

    it("rejects the call if a suspended component fails", async () => {
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      const Broken = async () => {
        throw new Error("no such user")
      }
      const element = createElement(Suspense, { fallback: "…" }, createElement(Broken))
      await expect(open().emails.send({ ...base, react: element })).rejects.toThrow("no such user")
      expect(asked).toEqual([])
    })

    it.each<[string, unknown]>([
      ["false", false],
      ["an empty text", ""],
      ["a component", Welcome],
      ["an element of nothing", empty],
    ])("refuses what renders nothing: %s", async (_, nothing) => {
      const log = vi.spyOn(console, "error").mockImplementation(() => {})
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      await expect(open().emails.send({ ...base, react: nothing })).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringContaining("renders nothing"),
      })
      expect(asked).toEqual([])
      log.mockRestore()
    })

    it("rejects the call if the element cannot be rendered", async () => {
      const { asked, open } = await startServer(json(201, { id: "em_1" }))
      const Broken = () => {
        throw new Error("no such user")
      }
      const call = open().emails.send({ ...base, react: createElement(Broken) })
      await expect(call).rejects.toThrow("no such user")
      expect(asked).toEqual([])
    })
  })
})
