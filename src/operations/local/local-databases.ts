import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import {
  boundNumbers,
  type Config,
  databaseBinding,
  databaseName,
  readToml,
} from "../installation.ts"

/** Where the commands look for local databases. `npm run dev` may have its state elsewhere. */
export const LOCAL_STATE = ".wrangler/state"

/**
 * wrangler's configuration of a local state with several databases. A state with one database has
 * no such file: wrangler.toml counts.
 */
export const localConfig = (state: string) => `${state}/wrangler.json`

/**
 * The same for commands, which work with `LOCAL_STATE` only: wrangler looks for a state beside its
 * configuration. No installation has this name.
 */
export const LOCAL_CONFIG = "wrangler._local.json"

const isUsual = (state: string) => resolve(state) === resolve(LOCAL_STATE)

/** The numbers of the databases of a state that was started before. */
const localNumbers = (state: string): number[] => boundNumbers(localConfig(state))

interface Template extends Omit<Config, "d1_databases"> {
  main: string
  assets: { directory: string }
  alias: Record<string, string>
  build: object
  d1_databases: {
    database_name: string
    preview_database_id: string
    migrations_dir: string
  }[]
}

/** Databases are never taken away: a state keeps those that it was once started with. */
export async function keepLocalDatabases(state: string, wanted: number): Promise<number[]> {
  const count = Math.max(wanted, ...localNumbers(state))
  if (count === 1) {
    if (isUsual(state)) rmSync(LOCAL_CONFIG, { force: true })
    return [1]
  }
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  mkdirSync(state, { recursive: true })
  const config = localize(await readToml<Template>("wrangler.toml"), numbers)
  const text = `${JSON.stringify(config, null, 2)}\n`
  for (const file of [localConfig(state), ...(isUsual(state) ? [LOCAL_CONFIG] : [])]) {
    writeFileSync(file, text)
  }
  return numbers
}

/** Paths of a configuration lead on from its own folder. `npm run dev` has built the pages. */
const localize = ({ build: _, ...template }: Template, numbers: readonly number[]) => ({
  ...template,
  main: resolve(template.main),
  assets: { ...template.assets, directory: resolve(template.assets.directory) },
  alias: Object.fromEntries(
    Object.entries(template.alias).map(([name, file]) => [name, resolve(file)]),
  ),
  d1_databases: numbers.flatMap((number) =>
    template.d1_databases.map((one) => ({
      ...one,
      binding: databaseBinding(number),
      database_name: databaseName(one.database_name, number),
      preview_database_id:
        number === 1
          ? one.preview_database_id
          : `${one.preview_database_id.slice(0, -4)}${String(number).padStart(4, "0")}`,
      migrations_dir: resolve(one.migrations_dir),
    })),
  ),
})

/** The option for wrangler, if the state has several databases. */
export const localConfigArgs = (state: string): string[] =>
  existsSync(localConfig(state)) ? ["--config", localConfig(state)] : []
