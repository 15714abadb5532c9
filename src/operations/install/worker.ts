import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { KEY_NAMES } from "../../worker/platform/installation/keys.ts"
import type { BoundDatabase, Database } from "../installation.ts"
import { environment } from "../wrangler.ts"
import type { ApiAccess, Cloudflare } from "./cloudflare.ts"
import { createQuery } from "./database.ts"
import { AGAIN, Failure, OTHER_NAME } from "./failure.ts"
import { FREE_PLAN, remedyOf } from "./remedies.ts"

interface Binding {
  type: string
  name: string
  id?: string
  database_id?: string
  text?: string
  json?: unknown
}

export async function findWorker(cloudflare: Cloudflare, accountId: string, name: string) {
  const path = `/accounts/${accountId}/workers/scripts/${name}`
  const settings = await cloudflare.find<{ bindings?: Binding[]; observability?: object }>(
    "Looking for the Worker",
    `${path}/settings`,
  )
  if (!settings) return null
  const secrets = await cloudflare.call<{ name: string }[]>(
    "Reading the names of the secrets",
    "GET",
    `${path}/secrets`,
  )
  const binding = (wanted: string) => settings.bindings?.find((one) => one.name === wanted)
  const vars = Object.fromEntries(
    (settings.bindings ?? []).flatMap(({ type, name: variable, text, json }) =>
      type === "plain_text" || type === "json" ? [[variable, text ?? String(json)]] : [],
    ),
  ) as Record<string, string>
  const { DATABASES: jurisdictions = "[]", WORKER_NAME: _, ...otherVars } = vars
  const databases = databasesOf(settings.bindings ?? [], JSON.parse(jurisdictions))
  return {
    isEmpty: (settings.bindings ?? []).length === 0,
    databaseId: databases.find(({ number }) => number === 1)?.id ?? null,
    databases,
    provider: binding("PROVIDER")?.text ?? null,
    vars: otherVars,
    observability: settings.observability,
    secrets: secrets.map((secret) => secret.name),
  }
}

/** The databases that the bindings DB, DB_2, DB_3 … lead to. */
const databasesOf = (bindings: readonly Binding[], known: readonly Database[]): BoundDatabase[] =>
  bindings
    .flatMap((binding) => {
      const [, given = "1"] = /^DB(?:_(\d+))?$/.exec(binding.name) ?? [null, ""]
      const [number, id] = [Number(given), binding.id ?? binding.database_id]
      const { jurisdiction } = known.find((one) => one.number === number) ?? {}
      return number && id ? [{ number, id, ...(jurisdiction && { jurisdiction }) }] : []
    })
    .sort((one, other) => one.number - other.number)

export type DeployedWorker = NonNullable<Awaited<ReturnType<typeof findWorker>>>

/** The URL at which the installation was claimed counts as its variable, as it does for the Worker. */
export async function withClaimedUrl(
  cloudflare: Cloudflare,
  accountId: string,
  worker: DeployedWorker,
): Promise<DeployedWorker> {
  if (worker.vars.BASE_URL || !worker.databaseId) return worker
  const query = createQuery(
    cloudflare,
    accountId,
    worker.databaseId,
    "Reading the URL of the claim",
  )
  const tables = await query("select 1 from sqlite_master where name = 'installation'")
  if (tables.length === 0) return worker
  const [claimed] = await query<{ value: string }>(
    "select value from installation where name = 'BASE_URL'",
  )
  return claimed ? { ...worker, vars: { ...worker.vars, BASE_URL: claimed.value } } : worker
}

/** Refuses a Worker of this name that is not Edgepost's. */
export function checkWorker(
  worker: DeployedWorker | null,
  name: string,
  databaseId: string | null,
) {
  if (!worker || (worker.databaseId && worker.databaseId === databaseId)) return
  throw new Failure(
    worker.databaseId
      ? `The Worker '${name}' works with another database than the one of this name.`
      : `The account has a Worker '${name}' that is not Edgepost's.`,
    OTHER_NAME,
  )
}

/** Existing secrets stay, since earlier signatures and encrypted data need them. The environment may give others. */
export const givenSecrets = (worker: DeployedWorker | null): Record<string, string> =>
  Object.fromEntries(
    KEY_NAMES.flatMap((name) => {
      const given = process.env[name]
      return given && !worker?.secrets.includes(name) ? [[name, given]] : []
    }),
  )

/** A new provider refuses mail from domains that it has not verified. */
export function checkSwitch(
  worker: DeployedWorker | null,
  provider: string,
  unready: number,
): void {
  const before = worker?.provider ?? provider
  if (before === provider || before === "sandbox" || unready === 0) return
  throw new Failure(
    `${unready} verified domains are not verified by '${provider}' yet.`,
    `Keep PROVIDER = "${before}", set NEXT_PROVIDER = "${provider}" and deploy; switch when every domain shows 'next.verifiedAt', or delete those that do not.`,
  )
}

/** One call uploads the script and the secrets, so a Worker never runs without the given ones. */
export type Upload = (
  configFile: string,
  accountId: string,
  secrets: Record<string, string>,
) => Promise<void>

export const uploadByWrangler =
  ({ url, token }: ApiAccess): Upload =>
  async (configFile, accountId, secrets) => {
    const directory = mkdtempSync(join(tmpdir(), "edgepost-"))
    try {
      const file = join(directory, "secrets.json")
      writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
      const args = ["deploy", "--config", configFile, "--secrets-file", file]
      const deploy = () =>
        run("wrangler", args, {
          CLOUDFLARE_API_BASE_URL: url,
          CLOUDFLARE_API_TOKEN: token,
          CLOUDFLARE_ACCOUNT_ID: accountId,
        })
      const first = await deploy()
      const { status, output } = codeOf(first.output) === SCRIPT_REFUSED ? await deploy() : first
      if (status !== 0) throw uploadFailed(output)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

/** Cloudflare refuses a script whose start took too long, also where its own machine was busy. */
const SCRIPT_REFUSED = "10021"

const codeOf = (output: string) => /\[code: (\d+)\]/.exec(output)?.[1]

function uploadFailed(output: string): Failure {
  const code = codeOf(output)
  if (code === "100328") return FREE_PLAN
  const reason = /\[ERROR\]([\s\S]*?)(?:🪵|If you think this is a bug|$)/.exec(output)?.[1]
  const shown = (reason ?? lastLine(output)).replace(/\s+/g, " ").trim()
  const path = /Cloudflare API \(([^)]+)\)/.exec(output)?.[1]
  const status = /^(10000|10023|9109)$/.test(code ?? "") ? 403 : 0
  return new Failure(
    `Uploading the Worker: ${shown}`,
    code ? remedyOf(status, Number(code), path) : AGAIN,
  )
}

const lastLine = (output: string) => output.trim().split("\n").at(-1) ?? ""

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ status: number | null; output: string }>((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...environment, CI: "1", ...env },
      shell: process.platform === "win32",
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (part: Buffer) => {
        output += stripVTControlCharacters(part.toString())
      })
    }
    child.on("error", reject)
    child.on("close", (status) => resolve({ status, output }))
  })
}
