import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers"
import { defineConfig } from "vitest/config"

/** Inside workerd, with the bindings of wrangler.toml. */
const inWorker = () =>
  cloudflareTest(async () => ({
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: {
        TEST_MIGRATIONS: await readD1Migrations("./migrations"),
        SIGNING_KEY: "a key that only these tests sign with",
        ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
      },
    },
  }))

const workerTests = { setupFiles: ["./test/support/setup.ts"], testTimeout: 20_000 }

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        plugins: [inWorker()],
        test: {
          ...workerTests,
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: ["test/system/**", "test/bench/**"],
        },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        plugins: [inWorker()],
        test: { ...workerTests, name: "bench", include: ["test/bench/**/*.test.ts"] },
      },
    ],
  },
})
