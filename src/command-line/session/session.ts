import type { Command } from "commander"
import { Edgepost } from "../../client/index.ts"
import { UsageError } from "../terminal/failure.ts"
import { createPaint, type Paint } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { type Profile, readProfiles } from "./profiles.ts"

export interface Session {
  client: Edgepost
  baseUrl: string
  /** Null if the key comes from the environment. */
  profile: string | null
  paint: Paint
  isJson: boolean
  /** Prints the value with `--json`, else the text. */
  print(value: unknown, text: string): void
}

export function createSession(command: Command, terminal: Terminal): Session {
  const { profile, apiKey, baseUrl } = readProfile(command, terminal)
  return {
    client: new Edgepost({ apiKey, baseUrl }),
    baseUrl,
    profile,
    paint: createPaint(terminal, terminal.output),
    isJson: isJson(command),
    print: createPrint(command, terminal),
  }
}

const isJson = (command: Command): boolean => Boolean(command.optsWithGlobals().json)

export function createPrint(command: Command, { output }: Terminal): Session["print"] {
  return (value, text) => {
    output.write(`${isJson(command) ? JSON.stringify(value) : text}\n`)
  }
}

/** Key and base URL come from the same place, so that no key goes to another installation. */
export function readProfile(
  command: Command,
  { env }: Terminal,
): Profile & { profile: Session["profile"] } {
  const asked = command.optsWithGlobals().profile ?? env.EDGEPOST_PROFILE
  if (!asked && (env.SVC_API_KEY || env.SVC_BASE_URL)) {
    const { SVC_API_KEY: apiKey = "", SVC_BASE_URL: baseUrl = "" } = env
    if (!apiKey || !baseUrl) throw new UsageError("Set both SVC_API_KEY and SVC_BASE_URL.")
    return { apiKey, baseUrl, profile: null }
  }
  const { current, profiles } = readProfiles(env)
  const name = asked ?? current
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) throw new UsageError(`There is no profile "${name}": run edgepost login.`)
  return { ...profile, profile: name }
}
