import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, it } from "vitest"
import { diffLines } from "../../src/command-line/terminal/line-diff.ts"
import { type FakeApi, page, refuse, startApi } from "./fake-api.ts"
import { runCommand, folder as scratch } from "./run.ts"
import { TEMPLATE } from "./samples.ts"

const BILL = { ...TEMPLATE, slug: "bill", bodyText: "Pay", variablesSchema: { variables: [] } }
const folder = join(scratch, "mine")
const file = (path: string) => join(folder, path)
const read = (path: string) => readFileSync(file(path), "utf8")
const changes = ({ asked }: FakeApi) => asked.filter(({ method }) => method !== "GET")

async function pulled(...templates: (typeof TEMPLATE | typeof BILL)[]) {
  const api = await startApi({ "GET /templates": () => page(...templates) })
  await runCommand(api, ["templates", "pull", folder])
  return api
}

beforeEach(() => rmSync(folder, { recursive: true, force: true }))

it("pulls every template of every page into a folder of its own", async () => {
  const api = await startApi({
    "GET /templates": ({ query }) =>
      query.cursor ? page(BILL) : { data: [TEMPLATE], nextCursor: "more" },
  })
  const ran = await runCommand(api, ["templates", "pull", folder, "--json"])
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(ran.json.templates).toEqual([
    { slug: "welcome", outcome: "written" },
    { slug: "bill", outcome: "written" },
  ])
  expect(JSON.parse(read("welcome/template.json"))).toEqual({
    name: "Welcome",
    subject: "Hello {{ name }}",
    variables: [{ name: "name", type: "string", default: "there" }],
  })
  expect(read("welcome/body.html")).toBe(TEMPLATE.bodyHtml)
  expect(existsSync(file("welcome/body.txt"))).toBe(false)
  expect(read("bill/body.txt")).toBe("Pay")
  expect(changes(api)).toEqual([])
})

it("removes the file of a text that was deleted", async () => {
  await pulled(BILL)
  await pulled({ ...BILL, bodyText: null } as never)
  expect(readdirSync(file("bill")).sort()).toEqual(["body.html", "template.json"])
  const api = await pulled(TEMPLATE)
  const again = await runCommand(api, ["templates", "pull", folder])
  expect(again.out).toBe("welcome  unchanged\n")
})

it("writes no file outside of the folder, even if a slug is a path", async () => {
  const api = await startApi({
    "GET /templates": () => page({ ...TEMPLATE, slug: "../client/escaped" }),
  })
  expect((await runCommand(api, ["templates", "pull", folder])).code).toBe(1)
  expect(existsSync(join(scratch, "escaped"))).toBe(false)
})

it("pushes only what changed and what is new, and deletes nothing", async () => {
  const api = await pulled(TEMPLATE, BILL)
  rmSync(file("bill"), { recursive: true })
  writeFileSync(file("welcome/body.html"), "<p>Hi {{ name }}</p>")
  mkdirSync(file("news"))
  writeFileSync(file("news/template.json"), '{"name":"News","subject":"News"}')
  writeFileSync(file("news/body.html"), "<p>News</p>")
  api.routes["PATCH /templates/welcome"] = () => ({ ...TEMPLATE, version: 4 })
  api.routes["POST /templates"] = ({ body }) => ({ ...body, version: 1 })
  const ran = await runCommand(api, ["templates", "push", folder, "--json"])
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(ran.json).toEqual({
    dryRun: false,
    templates: [
      { slug: "news", outcome: "created", version: 1 },
      { slug: "welcome", outcome: "updated", version: 4 },
    ],
  })
  expect(changes(api).map(({ method, path, body }) => [method, path, body])).toEqual([
    [
      "POST",
      "/templates",
      {
        slug: "news",
        name: "News",
        subject: "News",
        bodyHtml: "<p>News</p>",
        bodyText: null,
        variablesSchema: { variables: [] },
      },
    ],
    ["PATCH", "/templates/welcome", expect.objectContaining({ bodyHtml: "<p>Hi {{ name }}</p>" })],
  ])
})

it("pushes nothing if nothing changed", async () => {
  const api = await pulled(TEMPLATE, BILL)
  const ran = await runCommand(api, ["templates", "push", folder])
  expect(ran.out).toBe("bill  unchanged  version 3\nwelcome  unchanged  version 3\n")
  expect(changes(api)).toEqual([])
})

it("shows the changed lines by --dry-run, and sends nothing", async () => {
  const api = await pulled(TEMPLATE)
  writeFileSync(file("welcome/body.html"), "<p>Hi {{ name }}</p>\n<p>Bye</p>\n")
  const ran = await runCommand(api, ["templates", "push", folder, "--dry-run"])
  expect(ran.out.split("\n").map((line) => line.trim())).toEqual([
    "welcome  updated",
    "body.html",
    "- <p>Hello {{ name }}</p>",
    "+ <p>Hi {{ name }}</p>",
    "<p>Bye</p>",
    "",
    "",
  ])
  expect(changes(api)).toEqual([])
})

it("pushes the other templates if one is refused, and exits with 1", async () => {
  const api = await pulled(TEMPLATE, BILL)
  for (const slug of ["bill", "welcome"]) writeFileSync(file(`${slug}/body.html`), "<p>{{ a }}</p>")
  api.routes["PATCH /templates/bill"] = (_asked, response) =>
    refuse(response, 400, "validation_error", "Too long.")
  api.routes["PATCH /templates/welcome"] = () => ({ ...TEMPLATE, version: 4 })
  const ran = await runCommand(api, ["templates", "push", folder])
  expect(ran).toMatchObject({ code: 1, err: "" })
  expect(ran.out).toBe("bill  failed  Too long.\nwelcome  updated  version 4\n")
})

it.each([
  ["no folder", [], "templates pull"],
  ["no body", [["a/template.json", '{"name":"A","subject":"A"}']], "body.html"],
  ["a manifest that is no JSON", [["a/template.json", "{"]], "template.json must be"],
  ["a manifest without a name", [["a/template.json", '{"subject":"A"}']], "name and subject"],
  [
    "an unknown member",
    [["a/template.json", '{"name":"A","subject":"A","variable":[]}']],
    "unknown member: variable",
  ],
] as [string, [string, string][], string][])(
  "pushes nothing where there is %s",
  async (_, files, said) => {
    const api = await startApi({ "GET /templates": () => page() })
    for (const [path, text] of files) {
      mkdirSync(join(file(path), ".."), { recursive: true })
      writeFileSync(file(path), text)
    }
    const ran = await runCommand(api, ["templates", "push", folder])
    expect(ran.code).toBe(2)
    expect(ran.err).toContain(said)
    expect(changes(api)).toEqual([])
  },
)

it("the diff of long texts shows what changed in the middle, in little time", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
  const changed = lines.map((line, index) => (index === 9_000 || index === 9_010 ? "new" : line))
  const diff = diffLines(lines.join("\n"), changed.join("\n"))
  expect(diff.filter((line) => /^[+-]/.test(line))).toEqual([
    "- line 9000",
    "+ new",
    "- line 9010",
    "+ new",
  ])
  expect(diff.length).toBeLessThan(20)
  expect(diffLines("a\nb\nc\nd", "a\nc\nx\nd").filter((line) => /^[+-]/.test(line))).toEqual([
    "- b",
    "+ x",
  ])
  const other = lines.map((line) => `${line}!`)
  expect(diffLines(lines.join("\n"), other.join("\n"))).toHaveLength(40_000)
})
