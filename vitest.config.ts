import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                SIGNING_KEY: "a key that only these tests sign with",
                ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
              },
            },
          })),
        ],
        test: {
          name: "worker",
          setupFiles: ["./test/support/setup.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/system/**"],
          testTimeout: 20_000,
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
    ],
  },
})
