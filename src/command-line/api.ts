import { type Command, InvalidArgumentError } from "commander"
import { readConfig } from "../client/config.ts"
import { type Call, request } from "../client/request.ts"
import { readJson } from "../lib/json.ts"
import { createPrint, readProfile } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { UsageError } from "./terminal/failure.ts"
import { readBytes } from "./terminal/files.ts"
import { repeated, toPairs } from "./terminal/options.ts"
import { readInput, type Terminal } from "./terminal/terminal.ts"

interface Options {
  data?: string
  query?: string[]
}

export function addApi(program: Command, terminal: Terminal): void {
  const command = program
    .command("api")
    .summary("make any call of the API")
    .description(
      "Make any call of the API with the profile's key, and print the reply as JSON. A message or a\n" +
        "file is written as it is.",
    )
    .argument("<method>", "GET, POST, PATCH or DELETE", toMethod)
    .argument("<path>", "the path below /api/v1, such as /emails")
    .option("--data <json>", "the body: JSON, @file, or - for standard input")
    .option("--query <name=value>", "a parameter of the query; repeatable", repeated)
    .action(async (method: Call["method"], path: string, options: Options) => {
      const body = options.data === undefined ? undefined : await readData(options.data, terminal)
      const call = { method, path: toPath(path, options.query), body }
      const readsBytes = method === "GET" && IS_FILE.test(call.path)
      // Somebody else's message may contain control sequences.
      if (readsBytes && terminal.output.isTTY) {
        throw new UsageError("Give the reply a file: add > message.eml, for example.")
      }
      const config = readConfig(readProfile(command, terminal))
      const { data } = await request(config, { ...call, readsBytes }, { signal: terminal.signal })
      if (data instanceof Uint8Array) return void terminal.output.write(data)
      const reply = data ?? { done: true }
      createPrint(command, terminal)(reply, JSON.stringify(reply, null, 2))
    })
  withExamples(
    command,
    "edgepost api GET /emails --query status=bounced --query limit=5",
    'edgepost api POST /suppressions --data \'{"email":"ada@example.com"}\'',
    "edgepost api POST /emails --data @mail.json",
    "edgepost api DELETE /suppressions/ada@example.com",
  )
}

/** The calls whose reply is no JSON. */
const IS_FILE = /\/(raw|attachments\/[^/?]+)(\?|$)/

const METHODS: readonly string[] = ["GET", "POST", "PATCH", "DELETE"] satisfies Call["method"][]

function toMethod(text: string): Call["method"] {
  const method = text.toUpperCase()
  if (METHODS.includes(method)) return method as Call["method"]
  throw new InvalidArgumentError(`It must be one of ${METHODS.join(", ")}.`)
}

/** Only a path: the key goes to no other host. */
function toPath(path: string, query: string[] = []): string {
  if (/^[a-z]+:/i.test(path)) throw new UsageError("Give a path such as /emails, and no URL.")
  const [place = "", search = ""] = path.replace(/^\/?(api\/v1\/)?/, "/").split(/\?(.*)/s)
  if (place === "/stream") throw new UsageError("The stream never ends: run edgepost listen.")
  const added = toPairs(query, "=", "--query").map((pair) => new URLSearchParams([pair]).toString())
  const whole = [search, ...added].filter(Boolean).join("&")
  return whole ? `${place}?${whole}` : place
}

/** Reads an option of JSON: the text itself, `@file`, or `-` for standard input. */
export async function readData(
  data: string,
  { input }: Terminal,
  option = "--data",
): Promise<unknown> {
  const read = data.startsWith("@") ? readBytes(data.slice(1)).toString("utf8") : data
  const value = readJson(data === "-" ? await readInput(input) : read)
  if (value === undefined) throw new UsageError(`${option} needs JSON.`)
  return value
}
