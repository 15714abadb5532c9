import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createCloudflare } from "../../../src/operations/install/cloudflare.ts"
import type { WantedDatabases } from "../../../src/operations/install/databases.ts"
import { type Installed, install } from "../../../src/operations/install/install.ts"
import type { Upload } from "../../../src/operations/install/worker.ts"
import { queuesOf } from "../../../src/operations/installation.ts"
import { type FakeAccount, TOKEN } from "./fake-account.ts"

/** The calls of an upload by wrangler, without its seconds of bundling. */
export async function uploadTo(account: FakeAccount, ...args: Parameters<Upload>) {
  const [file, accountId, secrets] = args
  const { call, list } = createCloudflare({ url: account.url, token: TOKEN })
  const config = JSON.parse(readFileSync(file, "utf8"))
  const script = `/accounts/${accountId}/workers/scripts/${config.name}`
  const bindings = [
    ...config.d1_databases.map((database: { binding: string; database_id: string }) => ({
      type: "d1",
      name: database.binding,
      id: database.database_id,
    })),
    ...Object.entries(config.vars).map(([name, text]) => ({ type: "plain_text", name, text })),
    ...Object.entries(secrets).map(([name, text]) => ({ type: "secret_text", name, text })),
  ]
  await call("Uploading", "PUT", script, { bindings, limits: { cpu_ms: 30_000 } })
  await call("Uploading", "POST", `${script}/subdomain`, { enabled: config.workers_dev })
  const queues = await list<{ queue_id: string; queue_name: string; consumers: unknown[] }>(
    "Uploading",
    `/accounts/${accountId}/queues`,
  )
  for (const { queue_id, queue_name, consumers } of queues) {
    if (!queuesOf(config).includes(queue_name) || consumers.length > 0) continue
    const path = `/accounts/${accountId}/queues/${queue_id}/consumers`
    await call("Uploading", "POST", path, { script_name: config.name })
  }
  await call("Uploading", "PUT", `${script}/schedules`, [{ cron: "* * * * *" }])
}

export interface Wanted {
  name?: string
  url?: string | null
  upload?: Upload
  dryRun?: boolean
  databases?: WantedDatabases
}

export async function deployTo(
  account: FakeAccount,
  {
    name = "edgepost",
    url = "https://mail.example.com",
    upload,
    dryRun = false,
    databases,
  }: Wanted,
) {
  const lines: string[] = []
  let installed: Installed | null = null
  const failure = await install(
    { name, dryRun, ...(url && { baseUrl: url }), ...(databases && { databases }) },
    {
      cloudflare: createCloudflare({ url: account.url, token: TOKEN }),
      upload: upload ?? ((...args) => uploadTo(account, ...args)),
      report: (line) => lines.push(line),
      sleep: async () => undefined,
    },
  ).then(
    (done) => {
      installed = done
      return null
    },
    (error: Error & { remedy?: string }) => ({ reason: error.message, remedy: error.remedy }),
  )
  return { failure, lines, installed: installed as Installed | null }
}

interface Ran {
  status: number | null
  out: string
  err: string
}

/** Runs a command as an operator would, in the current folder. */
export const runOn = (
  account: FakeAccount,
  args: string[],
  { env = {}, input = "" }: { env?: NodeJS.ProcessEnv; input?: string } = {},
) =>
  new Promise<Ran>((resolve) => {
    const child = spawn("node", args, {
      cwd: process.cwd(),
      env: {
        ...process.env,
        CLOUDFLARE_API_BASE_URL: account.url,
        CLOUDFLARE_API_TOKEN: TOKEN,
        ...env,
      },
    })
    let [out, err] = ["", ""]
    child.stdout.on("data", (part) => {
      out += part
    })
    child.stderr.on("data", (part) => {
      err += part
    })
    child.on("close", (status) => resolve({ status, out, err }))
    child.stdin.end(input)
  })
