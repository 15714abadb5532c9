import type { Command } from "commander"
import { withExamples } from "../terminal/examples.ts"
import { UsageError } from "../terminal/failure.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { profilesFile, readProfiles, writeProfiles } from "./profiles.ts"
import { createPrint } from "./session.ts"

export function addLogout(program: Command, terminal: Terminal): void {
  const command = program
    .command("logout")
    .summary("forget a key that login has kept")
    .description(
      "Forget the key of a profile, by default of the current one. The key itself stays valid:\n" +
        "'edgepost keys remove' revokes it.",
    )
    .option("--all", "forget every profile")
    .action(({ all }: { all?: boolean }) => {
      const { env } = terminal
      const { current, profiles } = readProfiles(env)
      const asked = command.optsWithGlobals().profile ?? env.EDGEPOST_PROFILE ?? current
      const removed = all ? Object.keys(profiles) : [asked]
      if (!all && !Object.hasOwn(profiles, asked)) {
        throw new UsageError(`There is no profile "${asked}".`)
      }
      const kept = Object.entries(profiles).filter(([name]) => !removed.includes(name))
      writeProfiles(env, { current, profiles: Object.fromEntries(kept) })
      createPrint(command, terminal)(
        { removed },
        `Removed from ${profilesFile(env)}: ${removed.join(", ") || "nothing"}`,
      )
    })
  withExamples(command, "edgepost logout", "edgepost logout --all")
}
