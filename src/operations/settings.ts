import { appendFileSync, existsSync, writeFileSync } from "node:fs"
import * as z from "zod"
import { JURISDICTIONS, settingsSchema } from "../worker/platform/env.ts"
import { Failure } from "./install/failure.ts"
import type { DeployedWorker } from "./install/worker.ts"
import {
  type BoundDatabase,
  type Config,
  type Database,
  type FileSettings,
  installationNames,
  LOCATIONS,
  MOST_DATABASES,
  readToml,
  settingsFile,
} from "./installation.ts"

const fileSchema = z.strictObject({
  // The deployment writes DATABASES, from `databases`, and WORKER_NAME.
  ...settingsSchema.omit({ DATABASES: true, WORKER_NAME: true }).partial().shape,
  BASE_URL: z
    .string()
    .refine(isOrigin, "must be a URL such as https://mail.example.com, without port and path")
    .optional(),
  observability: z.looseObject({}).optional(),
  databases: z
    .array(
      z.strictObject({
        number: z.int().min(1).max(MOST_DATABASES),
        jurisdiction: z.enum(JURISDICTIONS).optional(),
        location: z.enum(LOCATIONS).optional(),
      }),
    )
    .optional(),
})

export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === "https:" && url.port === "" && url.href === `${url.origin}/`
}

/** Reads a file of settings, and names everything in it that is wrong. */
export async function readSettingsFile(file: string): Promise<FileSettings> {
  const { observability, databases, ...values } = await parseFile(file)
  const vars = textsOf(values)
  check({ ...vars, observability, databases }, file)
  if (vars.BASE_URL) vars.BASE_URL = new URL(vars.BASE_URL).origin
  return { vars, ...(observability && { observability }), ...(databases && { databases }) }
}

/** The installations whose settings have the URL, also if no deployment has attached it yet. */
export async function findBySettings(baseUrl: string): Promise<string[]> {
  const names = installationNames()
  const files = await Promise.all(names.map((name) => readSettingsFile(settingsFile(name))))
  return names.filter((_, index) => files[index]?.vars.BASE_URL === baseUrl)
}

/** The databases in the file of an installation, if this machine has it. */
export async function notedDatabases(name: string): Promise<Database[]> {
  const file = settingsFile(name)
  return existsSync(file) ? ((await readSettingsFile(file)).databases ?? []) : []
}

function parseFile(file: string) {
  return readToml<Omit<FileSettings, "vars">>(file).catch((error) => {
    const line = error.location?.line
    throw new Failure(
      `${file}${line ? `, line ${line}` : ""}: ${error.message}.`,
      'A setting is NAME = "value", a number without quotes. Correct it and run the same command again.',
    )
  })
}

const textsOf = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "object" ? value : String(value),
    ]),
  )

function check(values: object, file: string) {
  const issues = fileSchema.safeParse(values).error?.issues ?? []
  const wrong = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => `${key} is no setting${suggest(key)}`)
      : [`${issue.path.join(".")}: ${issue.message}`],
  )
  if (wrong.length === 0) return
  throw new Failure(`${file}: ${wrong.join("; ")}.`, "Correct it and run the same command again.")
}

function suggest(key: string): string {
  const [near] = Object.keys(fileSchema.shape)
    .map((name) => ({ name, edits: countEdits(key.toUpperCase(), name) }))
    .sort((a, b) => a.edits - b.edits)
  return near && near.edits <= 3 ? ` (${near.name}?)` : ""
}

/** Levenshtein's distance. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]]
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? 0
}

export interface FoundSettings {
  settings: FileSettings
  /** True if the installation's file has to be written. */
  isNew: boolean
  notes: string[]
}

/**
 * The settings of an installation: its file, or else what is deployed. Settings that an operator once
 * wrote into wrangler.toml count only until there is a file. Workers Builds has no file but wrangler.toml.
 */
export async function findSettings(
  { name, baseUrl }: { name: string; baseUrl?: string },
  worker: DeployedWorker | null,
  template: Config,
): Promise<FoundSettings> {
  const file = settingsFile(name)
  if (process.env.WORKERS_CI) {
    const vars = textsOf(template.vars ?? {})
    check(vars, "wrangler.toml")
    return { settings: { vars }, isNew: false, notes: [] }
  }
  const edited = editedVars(template)
  const names = Object.keys(edited).join(", ")
  if (existsSync(file)) {
    const settings = await readSettingsFile(file)
    checkUrl(name, settings.vars.BASE_URL, baseUrl)
    checkSecrets(file, settings, worker)
    return { settings, isNew: false, notes: names ? [`${file} counts, ${ignored(names)}`] : [] }
  }
  if (!worker && installationNames().length > 0) {
    return { settings: { vars: {} }, isNew: true, notes: names ? [ignored(names)] : [] }
  }
  const adopted = worker ? adoptSettings(worker) : { settings: { vars: {} }, notes: [] }
  const settings = { ...adopted.settings, vars: { ...adopted.settings.vars, ...edited } }
  check(settings.vars, "wrangler.toml")
  const moved = `moves ${names} from wrangler.toml into ${file}; ${RESET}`
  return { settings, isNew: true, notes: [...adopted.notes, ...(names ? [moved] : [])] }
}

const RESET = "then run: git checkout wrangler.toml"
const ignored = (names: string) => `not ${names} of wrangler.toml; ${RESET}`

function editedVars({ vars = {} }: Config): Record<string, string> {
  const shape: Record<string, z.ZodType> = settingsSchema.shape
  const isDefault = (name: string, value: unknown) =>
    name in shape && shape[name]?.safeParse(undefined).data === value
  const edited = Object.entries(vars).filter(
    ([name, value]) => name !== "BASE_URL" && !isDefault(name, value),
  )
  return textsOf(Object.fromEntries(edited))
}

/** The settings of the deployed Worker, without variables that are no settings of this version. */
export function adoptSettings({ vars, observability, databases }: DeployedWorker) {
  const unknown = Object.keys(vars).filter((name) => !(name in settingsSchema.shape))
  const known = Object.entries(vars).filter(([name]) => name in settingsSchema.shape)
  const settings: FileSettings = {
    vars: Object.fromEntries(known),
    ...(JSON.stringify(observability)?.includes('"destinations":["') && { observability }),
    ...(databases.some(isNoted) && { databases: databases.filter(isNoted).map(withoutId) }),
  }
  const notes = unknown.length > 0 ? [`leaves out ${unknown.join(", ")}: no setting`] : []
  return { settings, notes }
}

const withoutId = ({ id: _, ...database }: BoundDatabase): Database => database

/** The file of settings does not need to name a first database that is anywhere. */
export const isNoted = ({ number, jurisdiction, location }: Database) =>
  number > 1 || jurisdiction !== undefined || location !== undefined

function checkUrl(name: string, known: string | undefined, given: string | undefined) {
  if (!known || !given || known === given) return
  throw new Failure(
    `'${name}' is the installation at ${known}.`,
    `To move it, set BASE_URL = "${given}" in ${settingsFile(name)} and run 'npm run deploy -- ${given} ${name}'. For a second installation, give a name: npm run deploy -- ${given} NAME.`,
  )
}

function checkSecrets(file: string, { vars }: FileSettings, worker: DeployedWorker | null) {
  const secrets = ["SIGNING_KEY", "ENCRYPTION_KEYS", "ERASURE_KEY", ...(worker?.secrets ?? [])]
  const both = Object.keys(vars).filter((name) => secrets.includes(name))
  if (both.length === 0) return
  throw new Failure(
    `${file}: ${both.join(", ")} must be a secret of the Worker, not a setting.`,
    "Take it out of the file. To change a secret, use 'npx wrangler secret put'.",
  )
}

export function writeSettingsFile(name: string, settings: FileSettings) {
  const { vars, observability, databases = [] } = settings
  const lines = tomlLines({ ...vars, ...(observability && { observability }) })
  const head = `# The settings of the installation '${name}'. docs/operations.md says how they are used.\n`
  const text = `${head}${lines.join("\n")}\n${databases.map(describeDatabase).join("")}`
  writeFileSync(settingsFile(name), text, { mode: 0o600, flag: "wx" })
}

/** A table of a list may stand at the end of any file of TOML. */
export const addToSettingsFile = (name: string, databases: readonly Database[]) =>
  appendFileSync(settingsFile(name), databases.map(describeDatabase).join(""))

const describeDatabase = (database: Database) =>
  `\n[[databases]]\n${tomlLines(database).join("\n")}\n`

const tomlLines = (values: object, prefix = ""): string[] =>
  Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return []
    if (typeof value === "object" && !Array.isArray(value)) {
      return tomlLines(value, `${prefix}${key}.`)
    }
    return `${prefix}${key} = ${JSON.stringify(value)}`
  })

/** The names of the settings whose values differ. */
export const differingSettings = (
  one: Pick<FileSettings, "vars">,
  other: Pick<FileSettings, "vars">,
): string[] =>
  [...new Set([...Object.keys(one.vars), ...Object.keys(other.vars)])].filter(
    (name) => one.vars[name] !== other.vars[name],
  )
