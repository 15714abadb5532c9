import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// The runtime of the tests trusts the certificate of their SMTP server: miniflare reads this
// variable once, when it is loaded.
process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(
  new URL("test/support/smtp/localhost.crt", import.meta.url),
)
const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-pool-workers")

export default defineConfig({
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
    globalSetup: ["./test/support/smtp/server.ts"],
    setupFiles: ["./test/support/setup.ts"],
    include: ["test/**/*.test.ts"],
    maxWorkers: 2,
    testTimeout: 20_000,
  },
})
