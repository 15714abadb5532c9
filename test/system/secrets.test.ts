import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, expect, it } from "vitest"
import { writeResult } from "../proof/result.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"

/** Secrets of the installation that a person sets: nothing uses them here. */
const SETTINGS = [
  "AWS_SECRET_ACCESS_KEY",
  "CLOUDFLARE_API_TOKEN",
  "SMTP_PASSWORD",
  "METRICS_TOKEN",
  "SIGNING_KEY",
  "ERASURE_KEY",
]
const marked = () => `marked${randomBytes(24).toString("hex")}`
const CONTENT = `content-${marked()}`

const directory = mkdtempSync(join(tmpdir(), "edgepost-secrets-"))
let server: DevServer | undefined
const heard: string[] = []
const receiver = createServer(async (request, response) => {
  heard.push(JSON.stringify(request.headers), Buffer.concat(await request.toArray()).toString())
  // A failing receiver makes attempts and errors that are kept.
  response.writeHead(heard.length % 4 === 0 ? 200 : 500).end("no")
})

afterAll(async () => {
  receiver.close()
  await server?.dispose()
})

it("no log, reply, event or backup has a secret, and no log or error has the text of a message", async () => {
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, marked()]))
  const key = randomBytes(32).toString("base64")
  mkdirSync(join(directory, "dev"))
  writeFileSync(
    join(directory, "dev/secrets.env"),
    Object.entries({ ...settings, ENCRYPTION_KEYS: `dev:${key}` })
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(""),
  )
  writeFileSync(join(directory, "wrangler.toml"), readFileSync("wrangler.toml"))
  symlinkSync(resolve("migrations"), join(directory, "migrations"))
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  server = await startDevServer({ directory, env: { WRANGLER_LOG: "warn" } })

  const { replies, errors, secrets } = await useEverything(server)
  const { status, stderr } = spawnSync(
    "node",
    [resolve("src/operations/backup.ts"), join(directory, "backup.sql")],
    { cwd: directory, encoding: "utf8" },
  )
  expect([status, stderr]).toEqual([0, ""])
  const backup = readFileSync(join(directory, "backup.sql"), "utf8")
  const places = {
    "the log": server.printed(),
    "a reply": replies.join("\n"),
    "an error": errors.join("\n"),
    "an event": heard.join("\n"),
    "the backup": backup,
    "the contents in the backup": contentsIn(backup),
  }
  expect(backup).toContain("demo.test")
  expect(contentsIn(backup)).toContain(CONTENT)
  expect(heard.length).toBeGreaterThan(2)
  const all = { ...settings, ...secrets, ENCRYPTION_KEYS: key }
  const searched = Object.entries(all).flatMap(([name, secret]) =>
    spellings(secret).map((spelling) => ({ name, spelling })),
  )
  for (const [place, text] of Object.entries(places)) {
    const found = searched.filter(({ spelling }) => text.includes(spelling))
    expect(found.map(({ name }) => `${name} in ${place}`)).toEqual([])
  }
  for (const text of [server.printed(), errors.join("\n"), heard.join("\n")]) {
    expect(text).not.toContain(CONTENT)
  }
  if (process.env.KEEP_RESULT) keep(Object.keys(all).length, errors.length, places)
}, 300_000)

/** As itself, and as a database or a log may write it. */
const spellings = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -2),
  Buffer.from(secret).toString("hex"),
]

/** What a row keeps compressed. */
const contentsIn = (backup: string) =>
  [...backup.matchAll(/H4sI[\w+/]+=*/g)]
    .map(([base64]) => gunzipSync(Buffer.from(base64, "base64")).toString())
    .join("\n")

async function useEverything({ call, credentials }: DevServer) {
  const replies: string[] = []
  const errors: string[] = []
  const secrets: Record<string, string> = {}
  const read = async (reply: Response) => {
    const text = `${JSON.stringify([...reply.headers])}\n${await reply.text()}`
    if (reply.ok) replies.push(text)
    else errors.push(text)
    return text
  }
  const get = async (path: string) => read(await call("GET", `/api/v1${path}`))
  const post = async (path: string, body: unknown, token?: string) =>
    read(await call("POST", `/api/v1${path}`, body, token))

  /** The one reply that shows a secret. */
  const create = async (name: string, path: string, body: unknown) => {
    const made = (await (await call("POST", `/api/v1${path}`, body)).json()) as {
      id: string
      secret: string
    }
    secrets[name] = made.secret
    return made
  }
  const { port } = receiver.address() as AddressInfo
  const created = await create("API key", "/api-keys", { name: "Marked" })
  const webhook = await create("webhook's secret", "/webhooks", {
    url: `http://127.0.0.1:${port}/hook`,
    events: ["email.sent", "email.delivered", "email.bounced"],
  })
  const email = { from: "a@demo.test", subject: "Hello", text: CONTENT, html: `<p>${CONTENT}</p>` }
  for (const mailbox of ["success", "bounce", "complaint"]) {
    await post("/emails", { ...email, to: `${mailbox}@simulator.amazonses.com` }, created.secret)
  }
  // Errors that could repeat what was sent.
  await post("/emails", { ...email, to: "no address" }, created.secret)
  await post("/emails", { ...email, to: "a@b.test", attachments: CONTENT }, created.secret)
  await post("/emails", { ...email, from: "a@elsewhere.test", to: "a@b.test" }, created.secret)
  await post("/emails/batch", [email, email], created.secret)
  await post("/emails", `${CONTENT}{`, created.secret)
  await get(`/emails?cursor=${created.secret}`)
  await get(`/nowhere/${created.secret}`)
  await post("/emails", email, `${created.secret.slice(0, -1)}A`)
  await read(await call("POST", `/api/v1/webhooks/${webhook.id}/test`))

  const person = await signIn(credentials, read)
  Object.assign(secrets, person.secrets)
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBeGreaterThan(5)
  const lists = [
    "/emails",
    "/api-keys",
    "/webhooks",
    "/suppressions",
    "/domains",
    "/events",
    "/stats",
  ]
  for (const path of lists) await get(path)
  const { data } = JSON.parse((await get("/emails")).split("\n")[1] as string)
  for (const { id } of data) await get(`/emails/${id}`)
  for (const path of ["/audit-log", "/sessions", "/me", "/overview", "/inbox", "/invitations"]) {
    await person.get(path)
  }
  await person.get(`/webhooks/${webhook.id}/deliveries`)
  return { replies, errors, secrets }
}

/** Changes the password that the start has printed, and signs in with the new one. */
async function signIn({ baseUrl, dashboard }: DevServer["credentials"], read: Read) {
  const post = (path: string, body: unknown, cookie = "") =>
    fetch(`${baseUrl}/dashboard${path}`, {
      method: "POST",
      headers: { cookie, origin: baseUrl, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const { email, password: currentPassword } = dashboard
  const cookieOf = (reply: Response) =>
    reply.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ")
  const first = cookieOf(await post("/auth/sign-in/email", { email, password: currentPassword }))
  const newPassword = marked()
  const changed = await post("/api/profile/password", { currentPassword, newPassword }, first)
  expect(changed.ok).toBe(true)
  const signedIn = await post("/auth/sign-in/email", { email, password: newPassword })
  expect(signedIn.status).toBe(200)
  const cookie = cookieOf(signedIn)
  await read(await post("/auth/sign-in/email", { email, password: `${newPassword}x` }))
  const [, session = ""] = /=([^;.%]+)/.exec(cookie) ?? []
  return {
    secrets: { password: newPassword, session },
    get: async (path: string) =>
      read(await fetch(`${baseUrl}/dashboard/api${path}`, { headers: { cookie } })),
  }
}

type Read = (reply: Response) => Promise<string>

function keep(secrets: number, errors: number, places: Record<string, string>): void {
  const bytes = Object.values(places).reduce((sum, text) => sum + text.length, 0)
  writeResult("secrets", {
    name: "Secrets that must not show",
    command: "npm run secrets",
    figures: {
      secrets,
      "kilobytes searched": Math.round(bytes / 1_000),
      "refused calls among them": errors,
      found: 0,
    },
    shows:
      "A running service is used: mail, events to a receiver that fails, refused calls of many kinds, a new password, a sign-in. Then its log, all its replies, the events and a backup with its compressed contents are searched for keys of the API, a webhook's secret, the password, the session and the secrets of the installation, as text, in base64, in hex and as part of a URL. No log, error or event has the text of a message.",
    doesNotShow: "What the log of another provider or of Cloudflare keeps.",
  })
}
