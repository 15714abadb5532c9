import type { Command } from "commander"
import { withExamples } from "../terminal/examples.ts"
import { clean } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { createSession } from "./session.ts"

export function addWhoami(program: Command, terminal: Terminal): void {
  const command = program
    .command("whoami")
    .description("Show the team and the key that commands use")
    .action(async () => {
      const { client, profile, baseUrl, print } = createSession(command, terminal)
      const { team, key } = await client.me()
      const domain = key.domainId ? `, domain ${key.domainId} only` : ""
      print(
        { profile, baseUrl, team, key },
        [
          `Team     ${clean(team.name)} (${team.id})`,
          `Key      ${clean(key.name)} (${key.keyPrefix}…, ${key.permission}${domain})`,
          `Profile  ${profile ?? "from the environment"}`,
          `URL      ${baseUrl}`,
        ].join("\n"),
      )
    })
  withExamples(command, "edgepost whoami", "edgepost whoami --json")
}
