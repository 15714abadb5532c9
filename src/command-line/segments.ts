import type { Command } from "commander"
import type { CreateSegmentInput } from "../client/index.ts"
import { readData } from "./api.ts"
import { createSession } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { UsageError } from "./terminal/failure.ts"
import { repeated } from "./terminal/options.ts"
import { clean } from "./terminal/paint.ts"
import { addRow, type Row } from "./terminal/rows.ts"
import type { Terminal } from "./terminal/terminal.ts"

type Filter = CreateSegmentInput["filter"]
type Condition = NonNullable<Filter["all"]>[number]

interface Options {
  filter?: string
  where?: string[]
  any?: boolean
  name?: string
}

const ROWS: readonly Row[] = [
  {
    usage: "list",
    does: "List segments, newest first",
    options: { "--book-id <id>": "segments of one contact book alone" },
    call: (client, _, query) => client.segments.list(query),
    columns: ["createdAt", "name", "contactCount", "bookId", "id"],
    examples: ["edgepost segments list", "edgepost segments list --book-id cb_1"],
  },
  {
    usage: "get <id>",
    does: "Show a segment, its filter and its count",
    call: (client, [id = ""]) => client.segments.get(id),
    examples: ["edgepost segments get seg_1"],
  },
  {
    usage: "contacts <id>",
    does: "List the contacts that match now, newest first",
    call: (client, [id = ""], query) => client.segments.contacts(id, query),
    columns: ["createdAt", "email", "subscribed", "id"],
    examples: ["edgepost segments contacts seg_1 --limit 100"],
  },
  {
    usage: "remove <id>",
    does: "Delete a segment; its contacts stay",
    call: (client, [id = ""]) => client.segments.remove(id),
    examples: ["edgepost segments remove seg_1"],
  },
]

export function addSegments(program: Command, terminal: Terminal): void {
  const segments = program.command("segments").description("Saved filters over a contact book")
  for (const row of ROWS) addRow(segments, terminal, row)

  const create = addFilterOptions(
    segments
      .command("create")
      .description("Create a segment of a contact book")
      .argument("<book-id>", "cb_1")
      .argument("<name>", "Readers in London"),
  ).action(async (bookId: string, name: string, options: Options) => {
    const filter = await readFilter(options, terminal)
    if (!filter) throw new UsageError("Say who belongs to it: --where or --filter.")
    const { client, print } = createSession(create, terminal)
    const segment = await client.segments.create({ bookId, name, filter })
    print(segment, clean(`Created ${segment.name} (${segment.id}).`))
  })
  withExamples(
    create,
    "edgepost segments create cb_1 Londoners --where 'properties.city is London'",
    "edgepost segments create cb_1 Young --where 'properties.age below 30' --where 'firstName set'",
    'edgepost segments create cb_1 Readers --filter \'{"all":[{"activity":"opened","withinDays":30}]}\'',
    "edgepost segments create cb_1 Readers --filter @filter.json",
  )

  const update = addFilterOptions(
    segments
      .command("update")
      .description("Rename a segment, or give it another filter")
      .argument("<id>", "seg_1")
      .option("--name <name>", "the new name"),
  ).action(async (id: string, options: Options) => {
    const { name } = options
    const filter = await readFilter(options, terminal)
    if (name === undefined && !filter) throw new UsageError("Give --name, --where or --filter.")
    const { client, print } = createSession(update, terminal)
    const segment = await client.segments.update(id, {
      ...(name !== undefined && { name }),
      ...(filter && { filter }),
    })
    print(segment, clean(`Changed ${segment.name} (${segment.id}).`))
  })
  withExamples(update, "edgepost segments update seg_1 --name 'Readers in London'")
}

const addFilterOptions = (command: Command): Command =>
  command
    .option(
      "--where <condition>",
      "'FIELD OPERATOR [VALUE]', such as 'email contains @example.com'; repeatable, all have to hold",
      repeated,
    )
    .option("--any", "one of the conditions of --where is enough")
    .option("--filter <json>", "the filter of the API: JSON, @file, or - for standard input")

async function readFilter(
  { filter, where, any }: Options,
  terminal: Terminal,
): Promise<Filter | undefined> {
  if (filter !== undefined && where) throw new UsageError("Give --where or --filter, not both.")
  if (filter !== undefined) return (await readData(filter, terminal, "--filter")) as Filter
  const conditions = where?.map(toCondition)
  return conditions && (any ? { any: conditions } : { all: conditions })
}

/** `properties.age above 30` has a number, `subscribed is true` a yes or no. */
function toCondition(text: string): Condition {
  const [, field, op, value] = /^(\S+)\s+(\S+)(?:\s+(.*))?$/s.exec(text.trim()) ?? []
  if (!field || !op) throw new UsageError(`--where needs 'FIELD OPERATOR [VALUE]', not '${text}'.`)
  if (value === undefined) return { field, op }
  if (field === "subscribed" && /^(true|false)$/.test(value)) {
    return { field, op, value: value === "true" }
  }
  const isNumber = (op === "above" || op === "below") && Number.isFinite(Number(value))
  return { field, op, value: isNumber ? Number(value) : value }
}
