import { expect, it } from "vitest"
import {
  bucketOf,
  type Config,
  databaseNameOf,
  deriveConfig,
  queuesOf,
  readTemplate,
} from "../../src/operations/installation.ts"

it("two installations share no name and no rate limit, and a setting keeps its text", async () => {
  const template = await readTemplate()
  const vars = { BASE_URL: "https://mail.example.com", SYSTEM_FROM: "edgepost@acme.com" }
  const [one, two] = ["edgepost", "acme-mail"].map((name): Config & { account_id: string } =>
    JSON.parse(
      deriveConfig(
        template,
        {
          name,
          databases: [{ number: 1, id: "id" }],
          buckets: [{ binding: "CONTENT", name: `${name}-content` }],
          accountId: "account",
          workersDev: false,
        },
        { vars },
      ),
    ),
  )
  if (!one || !two) throw new Error("No configuration")
  const names = (config: Config) => [
    config.name,
    databaseNameOf(config),
    bucketOf(config),
    ...queuesOf(config),
    ...config.ratelimits.map(({ namespace_id }) => namespace_id),
  ]
  expect(names(two).length).toBeGreaterThan(5)
  expect(names(two).filter((name) => names(one).includes(name))).toEqual([])
  expect(JSON.stringify({ ...two, vars: {} })).not.toContain("edgepost")
  expect(two.vars).toEqual({ ...vars, WORKER_NAME: "acme-mail" })
  expect(two.d1_databases[0]).toMatchObject({ database_id: "id" })
})

it("no installation logs the URLs of its calls", async () => {
  const template = await readTemplate()
  expect(template.observability?.logs).toMatchObject({ invocation_logs: false })
  const identity = {
    name: "edgepost",
    databases: [],
    buckets: [],
    accountId: "account",
    workersDev: false,
  }
  const observability = { logs: { destinations: ["ours"] } }
  const derived = JSON.parse(deriveConfig(template, identity, { vars: {}, observability }))
  expect(derived.observability).toMatchObject({
    enabled: true,
    logs: { enabled: true, invocation_logs: false, destinations: ["ours"] },
  })
})
