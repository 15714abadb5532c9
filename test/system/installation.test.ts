import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { deriveConfig, namesOf } from "../../src/operations/installation.ts"

const template = readFileSync("wrangler.toml", "utf8")

it("two installations share no name and no rate limit", () => {
  const [one, two] = ["edgepost", "acme-mail"].map((name) =>
    deriveConfig(template, {
      name,
      baseUrl: "https://mail.example.com",
      databaseId: "id",
      accountId: "account",
      workersDev: false,
    }),
  )
  const names = (config = "") => [
    ...namesOf(config, "queue"),
    ...namesOf(config, "bucket_name"),
    ...[...config.matchAll(/^(?:name|database_name) = "([a-z-]+)"/gm)].map(([, name]) => name),
    ...[...config.matchAll(/namespace_id = "(\d+)"/g)].map(([, id]) => id),
  ]
  expect(names(two).length).toBeGreaterThan(5)
  expect(names(two).filter((name) => names(one).includes(name))).toEqual([])
  expect(two).not.toContain("edgepost")
  expect(two).toContain('database_id = "id"')
})
