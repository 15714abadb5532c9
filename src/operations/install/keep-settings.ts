import { type Database, settingsFile } from "../installation.ts"
import {
  addToSettingsFile,
  differingSettings,
  type FoundSettings,
  writeSettingsFile,
} from "../settings.ts"
import { apply } from "./apply.ts"
import { missingDatabases } from "./databases.ts"
import type { DeployedWorker } from "./worker.ts"

interface Found extends FoundSettings {
  worker: DeployedWorker | null
  planned: readonly Database[]
}

/** Writes the file of a new installation, and reports what differs from the deployed settings. */
export async function keepSettings(
  wanted: { name: string; dryRun?: boolean },
  tools: { report(line: string): void },
  { worker, settings, isNew, notes, planned }: Found,
) {
  const { name } = wanted
  for (const note of notes) tools.report(`  ${note}`)
  const changed = worker ? differingSettings(settings, worker) : []
  if (changed.length > 0) tools.report(`  changes ${changed.join(", ")}`)
  const file = settingsFile(name)
  const added = missingDatabases(settings.databases, planned)
  if (isNew) {
    const all = { ...settings, databases: [...(settings.databases ?? []), ...added] }
    const write = async () => writeSettingsFile(name, all)
    await apply(wanted, tools, [{ says: `writes ${file}`, apply: write }])
  } else if (added.length > 0 && !process.env.WORKERS_CI) {
    const says = `adds the databases ${added.map(({ number }) => number).join(", ")} to ${file}`
    await apply(wanted, tools, [{ says, apply: async () => addToSettingsFile(name, added) }])
  }
}
