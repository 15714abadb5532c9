import { readFileSync } from "node:fs"

export const readTemplate = () => readFileSync("wrangler.toml", "utf8")

interface Identity {
  name: string
  baseUrl: string
  databaseId: string
  accountId: string
  /** True if the Worker has only its address at workers.dev, false if it has only its own host. */
  workersDev: boolean
}

/** Makes the wrangler.toml of an installation. All names start with the name of the Worker. */
export function deriveConfig(
  template: string,
  { name, baseUrl, databaseId, accountId, workersDev }: Identity,
): string {
  return withName(template, name)
    .replace(
      /^name = .*$/m,
      `$&\naccount_id = "${accountId}"\nworkers_dev = ${workersDev}\npreview_urls = false`,
    )
    .replace(/^BASE_URL = .*\n/m, "")
    .replace("[vars]\n", `[vars]\nBASE_URL = "${baseUrl}"\n`)
    .replace(/^database_id = .*$/m, `database_id = "${databaseId}"`)
    .replace(
      /namespace_id = "(\d+)"/g,
      (_found, id: string) => `namespace_id = "${namespaceOf(`${name} ${id}`)}"`,
    )
}

/** Replaces only the names of the parts. */
export const withName = (template: string, name: string): string =>
  template.replaceAll(`"${templateName(template)}`, `"${name}`)

export const templateName = (template: string) => settingOf(template, "name") ?? "edgepost"

export const namesOf = (config: string, key: "queue" | "bucket_name"): string[] => [
  ...new Set(
    [...config.matchAll(new RegExp(`^${key} = "([^"]+)"`, "gm"))].map(([, found]) => found ?? ""),
  ),
]

export const databaseNameOf = (config: string) => settingOf(config, "database_name") ?? ""

export const settingOf = (config: string, name: string): string | undefined =>
  new RegExp(`^${name} = "?([^"\n]+)"?`, "m").exec(config)?.[1]

/** Rate limits with the same number share counters, so each installation has its own number. */
function namespaceOf(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_000_007
  return hash + 1
}
