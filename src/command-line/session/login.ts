import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import type { Command } from "commander"
import { Edgepost } from "../../client/index.ts"
import { withExamples } from "../terminal/examples.ts"
import { UsageError } from "../terminal/failure.ts"
import { clean } from "../terminal/paint.ts"
import { readInput, type Terminal } from "../terminal/terminal.ts"
import { profilesFile, readProfiles, writeProfiles } from "./profiles.ts"
import { createPrint } from "./session.ts"

export function addLogin(program: Command, terminal: Terminal): void {
  const command = program
    .command("login")
    .summary("keep a base URL and an API key for later commands")
    .description(
      "Keep a base URL and an API key for later commands, in a file that you alone can read.\n" +
        "The key is asked for. Without a terminal, standard input holds it. SVC_API_KEY goes first.",
    )
    .argument("<base-url>", "where your installation answers")
    .action((baseUrl: string) => login(command, terminal, baseUrl))
  withExamples(
    command,
    "edgepost login http://localhost:8787 < key.txt",
    "edgepost login https://mail.example.com --profile production < key.txt",
  )
}

async function login(command: Command, terminal: Terminal, baseUrl: string): Promise<void> {
  const { env } = terminal
  const kept = readProfiles(env)
  const apiKey = (env.SVC_API_KEY || (await readSecret(terminal, "API key"))).trim()
  if (!apiKey) throw new UsageError("No API key was given.")
  if (/\s/.test(apiKey)) throw new UsageError("The API key must be one word.")
  const { team, key } = await new Edgepost({ apiKey, baseUrl }).me()
  const profile = command.optsWithGlobals().profile ?? env.EDGEPOST_PROFILE ?? "default"
  const profiles = { ...kept.profiles, [profile]: { baseUrl, apiKey } }
  writeProfiles(env, { current: profile, profiles })
  createPrint(command, terminal)(
    { profile, baseUrl, team, key },
    clean(`Profile ${profile}: team ${team.name}, key ${key.name} (${key.permission})`) +
      `\nKept in ${profilesFile(env)}`,
  )
}

/** Asks for a secret without showing it. Without a terminal, the secret comes from standard input. */
export async function readSecret(
  { input, errors, signal }: Terminal,
  name: string,
): Promise<string> {
  if (!input.isTTY) return readInput(input)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // Turns off the echo of the terminal before the question.
  const lines = createInterface({ input, output: silent, terminal: true })
  errors.write(`${name}: `)
  const stop = new AbortController()
  lines.on("SIGINT", () => stop.abort())
  try {
    return await lines.question("", { signal: AbortSignal.any([signal, stop.signal]) })
  } finally {
    lines.close()
    errors.write("\n")
  }
}
