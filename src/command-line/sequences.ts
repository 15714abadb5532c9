import type { Command } from "commander"
import type { SendEventsInput, SimulateSequenceInput } from "../client/index.ts"
import { readData } from "./api.ts"
import { createSession } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { repeated, toPairs } from "./terminal/options.ts"
import { clean, toTable } from "./terminal/paint.ts"
import { addRow, type Row } from "./terminal/rows.ts"
import type { Terminal } from "./terminal/terminal.ts"

const ROWS: readonly Row[] = [
  {
    usage: "list",
    does: "List sequences, newest first",
    options: { "--status <status>": "draft, active, paused or archived" },
    call: (client, _, query) => client.sequences.list(query),
    columns: ["createdAt", "status", "name", "counts", "id"],
    examples: ["edgepost sequences list", "edgepost sequences list --status active"],
  },
  {
    usage: "get <id>",
    does: "Show a sequence and its steps",
    call: (client, [id = ""]) => client.sequences.get(id),
    examples: ["edgepost sequences get sqn_1 --json"],
  },
  {
    usage: "steps <id>",
    does: "Show how many people got to each step, and what they did",
    call: (client, [id = ""]) => client.sequences.steps(id),
    examples: ["edgepost sequences steps sqn_1"],
  },
  {
    usage: "activate <id>",
    does: "Activate a sequence, or let a paused one go on",
    call: (client, [id = ""]) => client.sequences.activate(id),
    examples: ["edgepost sequences activate sqn_1"],
  },
  {
    usage: "pause <id>",
    does: "Pause a sequence: nobody enters, and nothing is sent",
    call: (client, [id = ""]) => client.sequences.pause(id),
    examples: ["edgepost sequences pause sqn_1"],
  },
  {
    usage: "resume <id>",
    does: "Let held runs go on",
    call: (client, [id = ""]) => client.sequences.resume(id),
    examples: ["edgepost sequences resume sqn_1"],
  },
  {
    usage: "archive <id>",
    does: "End all runs of a sequence for good",
    call: (client, [id = ""]) => client.sequences.archive(id),
    examples: ["edgepost sequences archive sqn_1"],
  },
  {
    usage: "start <id> <contact-ids...>",
    does: "Start a sequence for contacts, where its trigger is a call",
    call: (client, [id = "", ...contactIds]) => client.sequences.start(id, { contactIds }),
    examples: ["edgepost sequences start sqn_1 ct_1 ct_2"],
  },
  {
    usage: "runs <id>",
    does: "List the runs of a sequence, newest first",
    options: {
      "--state <state>": "waiting, held or done",
      "--step-key <key>": "runs that stand in this step",
      "--contact-id <id>": "runs of one contact",
    },
    call: (client, [id = ""], query) => client.sequences.runs(id, query),
    columns: ["startedAt", "state", "stepKey", "dueAt", "endedBy", "contactId", "id"],
    examples: ["edgepost sequences runs sqn_1", "edgepost sequences runs sqn_1 --state held"],
  },
  {
    usage: "run <run-id>",
    does: "Show a run, its history, and what it waits for",
    call: (client, [id = ""]) => client.runs.get(id),
    examples: ["edgepost sequences run run_1"],
  },
  {
    usage: "end <run-id>",
    does: "End a run",
    call: (client, [id = ""]) => client.runs.end(id),
    examples: ["edgepost sequences end run_1"],
  },
  {
    usage: "skip <run-id>",
    does: "Pass the step that a run stands in",
    call: (client, [id = ""]) => client.runs.skip(id),
    examples: ["edgepost sequences skip run_1"],
  },
]

export function addSequences(program: Command, terminal: Terminal): void {
  const sequences = program.command("sequences").description("Sequences, and who goes through them")
  for (const row of ROWS) addRow(sequences, terminal, row)
  addSimulate(sequences, terminal)
  addSendEvent(program.command("events").description("What contacts did"), terminal)
}

interface SimulateOptions {
  contact?: string
  at?: string
  happenings?: string
}

function addSimulate(sequences: Command, terminal: Terminal): void {
  const simulate = sequences
    .command("simulate")
    .description("Show what would happen to a contact. Sends and stores nothing.")
    .argument("<id>", "sqn_1")
    .option("--contact <id>", "a contact; without it, one of whom nothing is known")
    .option("--at <time>", "when it starts; by default now")
    .option("--happenings <json>", "what the contact does: JSON, @file, or - for standard input")
    .action(async (id: string, { contact, at, happenings }: SimulateOptions) => {
      const { client, print, paint } = createSession(simulate, terminal)
      const did = happenings && (await readData(happenings, terminal, "--happenings"))
      const { timeline, endedBy } = await client.sequences.simulate(id, {
        contact: contact ?? {},
        startAt: at ?? new Date().toISOString(),
        ...(did !== undefined && { happenings: did as SimulateSequenceInput["happenings"] }),
      } as SimulateSequenceInput)
      const rows = timeline.map((one) => [one.at, one.stepKey, one.kind, one.says].map(clean))
      const end = endedBy === null ? "Held: a person has to let it go on." : `Ended: ${endedBy}.`
      print(
        { timeline, endedBy },
        `${toTable(paint, ["AT", "STEP", "KIND", "SAYS"], rows)}\n${end}`,
      )
    })
  withExamples(
    simulate,
    "edgepost sequences simulate sqn_1",
    "edgepost sequences simulate sqn_1 --contact ct_1 --at 2026-12-01T09:00:00Z",
    'edgepost sequences simulate sqn_1 --happenings \'[{"at":"2026-12-02T09:00:00Z","event":"order.paid"}]\'',
  )
}

interface EventOptions {
  bookId?: string
  at?: string
  property?: string[]
  idempotencyKey?: string
}

function addSendEvent(events: Command, terminal: Terminal): void {
  const send = events
    .command("send")
    .description("Tell what a contact did. Starts sequences that wait for it.")
    .argument("<name>", "order.paid")
    .argument("<address-or-id>", "ada@example.com, or ct_1")
    .option("--book-id <id>", "count it in one contact book alone, where the address is added")
    .option("--property <name=value>", "a property of the event; repeatable", repeated)
    .option("--at <time>", "when it happened; by default now")
    .option("--idempotency-key <key>", "the same key again sends no second event")
    .action(async (name: string, who: string, { property = [], ...rest }: EventOptions) => {
      const { client, print } = createSession(send, terminal)
      const properties = Object.fromEntries(toPairs(property, "=", "--property"))
      const person = who.includes("@") ? { email: who } : { contactId: who }
      const sent = await client.events.send({
        name,
        ...person,
        ...rest,
        properties,
      } as SendEventsInput)
      print(sent, "id" in sent ? sent.id : "Done.")
    })
  withExamples(
    send,
    "edgepost events send order.paid ada@example.com --property plan=pro",
    "edgepost events send order.paid ct_1 --at 2026-11-20T09:30:00Z",
  )
}
