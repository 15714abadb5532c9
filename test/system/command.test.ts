import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, describe, expect, it } from "vitest"
import { verifyWebhook } from "../../src/client/receiver.ts"
import { EVENT_TYPES } from "../../src/worker/webhooks/events/types.ts"
import { hasProgram } from "../support/program.ts"
import { ENTRY, root, start } from "./command.ts"
import { sharedServer } from "./shared-server.ts"

const folder = mkdtempSync(join(tmpdir(), "edgepost-person-"))
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  EDGEPOST_CONFIG: join(folder, "config.json"),
  NO_COLOR: "1",
}
const server = sharedServer()
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const startCommand = (args: string[], input?: string) =>
  start(process.execPath, [ENTRY, ...args], {
    env,
    cwd: folder,
    ...(input !== undefined && { input }),
  })

async function run(args: string[], input = "") {
  const ran = await startCommand(args, input).done
  expect([args, ran.err, ran.code]).toEqual([args, "", 0])
  return ran.out
}

// biome-ignore lint/suspicious/noExplicitAny: output of every shape
const json = async (...args: string[]): Promise<any> => JSON.parse(await run([...args, "--json"]))

const mail = (to: string) => ["--from", "hello@demo.test", "--to", to, "--subject", "Hi"]
const send = (to: string, ...more: string[]) => json("send", ...mail(to), "--text", "Hi", ...more)

describe("the command line against the local service", () => {
  const asks = "asks for the key on a terminal, shows none of it, and keeps it in a private file"
  it.runIf(hasProgram("python3"))(asks, async () => {
    const { baseUrl, apiKey } = server.credentials
    const typing = start(
      "python3",
      [join(root, "test/system/type_key.py"), process.execPath, ENTRY, "login", baseUrl],
      { env: { ...env, TYPED: apiKey }, cwd: folder, input: "" },
    )
    const { out, err, code } = await typing.done
    expect([err, code]).toEqual(["", 0])
    expect(out).toContain("API key: ")
    expect(out).toContain("Profile default: team ")
    expect(out).not.toContain(apiKey.slice(0, 20))
    expect(JSON.parse(readFileSync(env.EDGEPOST_CONFIG, "utf8")).profiles.default).toEqual({
      baseUrl,
      apiKey,
    })
  })

  it("logs in with a key from standard input, and says who calls", async () => {
    const { baseUrl, sendingOnlyKey, teamId } = server.credentials
    await run(["login", baseUrl, "--profile", "limited"], `${sendingOnlyKey}\n`)
    const me = await json("whoami")
    expect(me).toMatchObject({ profile: "limited", key: { permission: "sending_only" } })
    await run(["login", baseUrl], `${server.credentials.apiKey}\n`)
    expect(await json("whoami")).toMatchObject({ profile: "default", team: { id: teamId } })
    const refused = await startCommand(["emails", "list", "--profile", "limited", "--json"], "")
      .done
    expect(refused).toMatchObject({ code: 1, out: "" })
    expect(JSON.parse(refused.err).error.code).toBe("forbidden")
  })

  it("sends an email, waits for its message, and reads what happened", async () => {
    expect(await json("check", ...mail("check@example.com"), "--text", "Hi")).toMatchObject({
      wouldSend: true,
    })
    const { id } = await send("bounce+cli@simulator.amazonses.com")
    expect(await json("inbox", "wait", "--email-id", id)).toMatchObject({
      emailId: id,
      text: "Hi",
    })
    await expect
      .poll(async () => (await json("emails", "get", id)).status, { timeout: 60_000 })
      .toBe("bounced")
    const list = await json("emails", "list", "--status", "bounced")
    expect(list.data).toContainEqual(expect.objectContaining({ id }))
    const explained = await json("emails", "explain", id)
    expect(explained).toMatchObject({ cause: { code: expect.any(String) } })
    expect(await run(["emails", "explain", id])).toContain(explained.summary)
    const suppressed = await json("suppressions", "list")
    expect(suppressed.data).toContainEqual(expect.objectContaining({ sourceEmailId: id }))
  })

  it("follows events as they happen", async () => {
    const tail = startCommand(["emails", "tail", "--json"])
    // Events before the confirmation are told by the time at which the command began.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const { id } = await send("success+tail@simulator.amazonses.com")
    await tail.printed('"type":"delivered"')
    tail.stop()
    await tail.done
    const lines = tail.ran.out.trim().split("\n")
    const types = lines
      .map((line) => JSON.parse(line))
      .flatMap(({ emailId, event }) => (emailId === id ? [event.type] : []))
    expect(types).toEqual(["sent", "delivered"])
  })

  it("forwards signed events to a local receiver", async () => {
    const bodies: { headers: Record<string, string>; body: string }[] = []
    const receiver = createServer(async (request, response) => {
      bodies.push({ headers: request.headers as never, body: await text(request) })
      response.end()
    }).listen(0)
    await once(receiver, "listening")
    const { port } = receiver.address() as { port: number }
    const listening = startCommand(["listen", String(port), "--json"])
    await listening.printed("whsec_")
    await expect
      .poll(async () => (await json("webhooks", "list")).data.length, { timeout: 30_000 })
      .toBe(1)
    const { id } = await send("success+listen@simulator.amazonses.com")
    await expect
      .poll(() => bodies.filter(({ body }) => body.includes(id)).length, { timeout: 60_000 })
      .toBe(2)
    listening.stop()
    expect((await listening.done).code).toBe(0)
    receiver.close()
    expect((await json("webhooks", "list")).data).toEqual([])
    const { secret } = JSON.parse(listening.ran.out.split("\n", 1)[0] ?? "")
    const event = await verifyWebhook(bodies.find(({ body }) => body.includes(id))!, secret)
    expect(event).toMatchObject({ type: "email.sent", data: { email: { id } } })
  })

  it("makes every event happen", { timeout: 120_000 }, async () => {
    const listening = startCommand(["listen", "--json"])
    await expect
      .poll(async () => (await json("webhooks", "list")).data.length, { timeout: 30_000 })
      .toBe(1)
    for (const type of EVENT_TYPES) await run(["trigger", type])
    for (const type of EVENT_TYPES) await listening.printed(`"type":"${type}"`)
    listening.stop()
    expect((await listening.done).code).toBe(0)
  })

  it("pushes templates from files, and pulls them back as they were", async () => {
    const template = { slug: "cli", name: "CLI", subject: "Hi {{ name }}", bodyHtml: "<p>1</p>" }
    await server.call("POST", "/api/v1/templates", template)
    const [pulled] = (await json("templates", "pull")).templates
    expect(pulled).toEqual({ slug: "cli", outcome: "written" })
    writeFileSync(join(folder, "templates/cli/body.html"), "<p>2</p>\n")
    const dry = await json("templates", "push", "--dry-run")
    expect(dry.templates).toMatchObject([{ slug: "cli", outcome: "updated" }])
    expect(dry.templates[0].diff).toContain("+ <p>2</p>")
    expect((await json("templates", "push")).templates).toEqual([
      { slug: "cli", outcome: "updated", version: 2 },
    ])
    expect((await json("templates", "push")).templates).toEqual([
      { slug: "cli", outcome: "unchanged", version: 2 },
    ])
    expect((await json("templates", "pull")).templates[0].outcome).toBe("unchanged")
    const { id } = await json(
      ...["send", "--from", "hello@demo.test", "--to", "ada@example.com"],
      ...["--template", "cli", "--variable", "name=Ada"],
    )
    const message = await json("inbox", "wait", "--email-id", id)
    expect(message).toMatchObject({ subject: "Hi Ada", html: expect.stringContaining("<p>2</p>") })
  })

  it("finds nothing wrong with a fresh installation", async () => {
    const { checks } = await json("doctor", "--to", "success+doctor@simulator.amazonses.com")
    expect(checks.map(({ part, ok, mend }: Record<string, unknown>) => [part, ok, mend])).toEqual(
      [
        ...["service", "key", "clock", "provider", "sandbox", "domains", "dns"],
        ...["queue", "cron", "stream", "links", "sending"],
      ].map((part) => [part, true, null]),
    )
  })

  it("serves the tools of an agent", async () => {
    const client = new Client({ name: "test", version: "1" })
    const headers = { authorization: `Bearer ${server.credentials.apiKey}` }
    const url = new URL("/mcp", server.credentials.baseUrl)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    const { content } = await client.callTool({ name: "list_domains", arguments: {} })
    expect(JSON.stringify(content)).toContain("demo.test")
    await client.close()
  })
})
