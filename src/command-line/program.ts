import { Command } from "commander"
import { VERSION } from "../lib/version.ts"
import { addApi } from "./api.ts"
import { addCompletion } from "./completion.ts"
import { addDoctor } from "./doctor/doctor.ts"
import { addDomains } from "./domains.ts"
import { addCheck } from "./emails/check.ts"
import { addEmails } from "./emails/emails.ts"
import { addSend } from "./emails/send.ts"
import { addImport } from "./import.ts"
import { addInbox } from "./inbox.ts"
import { addListen } from "./listen/listen.ts"
import { addReceived } from "./received.ts"
import { addSegments } from "./segments.ts"
import { addSequences } from "./sequences.ts"
import { addLogin } from "./session/login.ts"
import { addLogout } from "./session/logout.ts"
import { addWhoami } from "./session/whoami.ts"
import { addStats } from "./stats.ts"
import { addSuppressions } from "./suppressions.ts"
import { addTemplates } from "./templates/templates.ts"
import { EXIT, report } from "./terminal/failure.ts"
import { createPaint } from "./terminal/paint.ts"
import { addRecords } from "./terminal/records.ts"
import type { Terminal } from "./terminal/terminal.ts"
import { addTrigger } from "./trigger/trigger.ts"

/** Runs the command that the arguments name, and answers the exit code. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  const isJson = args.includes("--json")
  const program = createProgram(terminal, isJson)
  try {
    await program.parseAsync(args, { from: "user" })
    return EXIT.ok
  } catch (error) {
    return report(error, terminal, isJson)
  }
}

export function createProgram(terminal: Terminal, isJson = false): Command {
  const paint = createPaint(terminal, terminal.output)
  const program = new Command("edgepost")
    .description("Send email with your own Edgepost, and see what became of it")
    .version(VERSION)
    .option("--json", "print JSON, in a shape that stays the same")
    .option("--profile <name>", "use a profile of edgepost login")
    .exitOverride()
    .showHelpAfterError("Add --help to see how the command is used.")
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => paint("bold", title) })
    .configureOutput({
      writeOut: (text) => void terminal.output.write(text),
      // With --json the failure is reported as JSON.
      writeErr: (text) => void (isJson || terminal.errors.write(text)),
      getOutHasColors: () => true,
      getErrHasColors: () => Boolean(terminal.errors.isTTY),
    })
    .addHelpText(
      "after",
      "\nEnvironment: SVC_API_KEY with SVC_BASE_URL in place of a profile, EDGEPOST_PROFILE,\n" +
        "EDGEPOST_CONFIG (the file of the profiles), NO_COLOR.\n" +
        "Exit codes: 0 done, 1 a call failed, 2 wrong usage.",
    )
  addLogin(program, terminal)
  addLogout(program, terminal)
  addWhoami(program, terminal)
  addSend(program, terminal)
  addEmails(program, terminal)
  addCheck(program, terminal)
  addTemplates(program, terminal)
  addDomains(program, terminal)
  addSuppressions(program, terminal)
  addInbox(program, terminal)
  addListen(program, terminal)
  addTrigger(program, terminal)
  addRecords(program, terminal)
  addSegments(program, terminal)
  addSequences(program, terminal)
  addReceived(program, terminal)
  addStats(program, terminal)
  addApi(program, terminal)
  addImport(program, terminal)
  addDoctor(program, terminal)
  addCompletion(program, terminal)
  return program
}
