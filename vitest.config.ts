import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers"
import { defineConfig } from "vitest/config"

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations("./migrations"),
          SIGNING_KEY: "a key that only these tests sign with",
          SES_TOPIC_ARNS: "arn:aws:sns:us-east-1:123456789012:edgepost-test",
          ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
        },
      },
    })),
  ],
  test: {
    setupFiles: ["./test/support/setup.ts"],
    include: ["test/**/*.test.ts"],
    maxWorkers: 2,
    testTimeout: 20_000,
  },
})
