import { newSecret } from "../../src/worker/access/keys/secret.ts"

const AT_ONCE = 20

/** Secrets of API keys that name this database. Node draws one ten times as fast as workerd. */
export const drawSecrets = (database: number): string[] =>
  Array.from({ length: AT_ONCE }, () => newSecret(database))
