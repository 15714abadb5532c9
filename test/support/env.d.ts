import type { D1Migration } from "cloudflare:test"
import type { Bindings } from "../../src/worker/platform/env.ts"

declare global {
  interface ImportMeta {
    glob<Module>(pattern: string, options: { eager: true }): Record<string, Module>
  }

  namespace Cloudflare {
    interface Env extends Bindings {
      TEST_MIGRATIONS: D1Migration[]
      /** Another database, for the tests of installations with several. */
      SECOND: D1Database
      /** Another bucket, for those with a jurisdiction. */
      SECOND_BUCKET: R2Bucket
      /** Seeds of the fault tests to run instead of all, separated by commas. */
      FAULT_SEED: string
      FAULT_CUTS: string
      /** How many requests the abuse test makes, and from which seed. */
      ABUSE_REQUESTS: string
      ABUSE_SEED: string
      /** How many sequences the test of simulations makes. */
      SEQUENCE_LIVES: string
      SEQUENCE_CROWD: string
      /** How many messages come in the world of received mail. */
      RECEIVED_MESSAGES: string
      FORM_POSTS: string
      MALFORMED_MESSAGES: string
      /** The size of the team that `npm run bench:move` moves. */
      MOVED_EMAILS: string
      /** Answers with secrets of API keys that name a database. */
      SECRETS: Fetcher
      /** Writes the posted result into `test/proof/results`. */
      RESULTS: Fetcher
      /** Answers with the CPU time of each workerd of the run. */
      CPU_TIMES: Fetcher
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/worker/index.ts")
    }
  }
}
