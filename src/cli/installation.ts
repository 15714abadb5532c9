const TEMPLATE_NAME = "edgepost"
const NO_DATABASE = "00000000-0000-0000-0000-000000000000"

/** wrangler.toml for an installation. All its names start with the name of the Worker. */
export function deriveConfig(
  template: string,
  { name, baseUrl, databaseId }: { name: string; baseUrl: string; databaseId: string },
): string {
  return template
    .replace("[vars]\n", `[vars]\nBASE_URL = "${baseUrl}"\n`)
    .replaceAll(`"${TEMPLATE_NAME}`, `"${name}`)
    .replace(NO_DATABASE, databaseId)
    .replace(
      /namespace_id = "(\d+)"/g,
      (_found, id: string) => `namespace_id = "${namespaceOf(`${name} ${id}`)}"`,
    )
}

export const namesOf = (config: string, key: "queue" | "bucket_name"): string[] => [
  ...new Set(
    [...config.matchAll(new RegExp(`^${key} = "([^"]+)"`, "gm"))].map(([, found]) => found ?? ""),
  ),
]

/** Rate limits with the same number share counters, so each installation has its own number. */
function namespaceOf(name: string): number {
  let hash = 0
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_000_007
  return hash + 1
}
