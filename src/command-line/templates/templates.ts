import type { Command } from "commander"
import type { Edgepost, Template } from "../../client/index.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { Failed, toFailure } from "../terminal/failure.ts"
import { diffLines } from "../terminal/line-diff.ts"
import { clean, paintStatus } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import {
  type Content,
  isSame,
  readTemplate,
  readTemplateIfAny,
  slugsIn,
  toFiles,
  writeTemplate,
} from "./template-files.ts"

const FOLDER = "templates"
const LAYOUT =
  "A template is a folder named as its slug, with template.json (name, subject, variables),\n" +
  "body.html and, with a text of its own, body.txt."

export function addTemplates(program: Command, terminal: Terminal): void {
  const templates = program.command("templates").description("Templates as files")
  addPull(templates, terminal)
  addPush(templates, terminal)
}

function addPull(templates: Command, terminal: Terminal): void {
  const pull = templates
    .command("pull")
    .summary("write all templates into files")
    .description(`Write all templates into files; their files are replaced.\n${LAYOUT}`)
    .argument("[folder]", "where the files are", FOLDER)
    .action(async (folder: string) => {
      const session = createSession(pull, terminal)
      const results: Result[] = []
      for (const template of await readAll(session.client)) {
        const local = readTemplateIfAny(folder, template.slug)
        const isKept = local !== null && isSame(local, template)
        if (!isKept) writeTemplate(folder, template.slug, template)
        results.push({ slug: template.slug, outcome: isKept ? "unchanged" : "written" })
      }
      printResults(session, { templates: results })
    })
  withExamples(pull, "edgepost templates pull", "edgepost templates pull emails/templates --json")
}

function addPush(templates: Command, terminal: Terminal): void {
  const push = templates
    .command("push")
    .summary("create and update templates from files")
    .description(
      `Create and update templates from files. Only changed ones; none is deleted.\n${LAYOUT}`,
    )
    .argument("[folder]", "where the files are", FOLDER)
    .option("--dry-run", "only show what would change")
    .action(async (folder: string, { dryRun = false }: { dryRun?: boolean }) => {
      const session = createSession(push, terminal)
      // Reads every file before the first call.
      const local = slugsIn(folder).map((slug) => ({ slug, content: readTemplate(folder, slug) }))
      const remote = new Map((await readAll(session.client)).map((one) => [one.slug, one]))
      const results: Result[] = []
      for (const { slug, content } of local) {
        const known = remote.get(slug)
        results.push(
          dryRun
            ? { slug, outcome: outcomeOf(content, known), diff: diffOf(content, known) }
            : await pushOne(session.client, slug, content, known),
        )
      }
      printResults(session, { dryRun, templates: results })
      if (results.some(({ outcome }) => outcome === "failed")) throw new Failed()
    })
  withExamples(push, "edgepost templates push --dry-run", "edgepost templates push --json")
}

interface Result {
  slug: string
  outcome: "written" | "created" | "updated" | "unchanged" | "failed"
  version?: number
  diff?: string[]
  error?: ReturnType<typeof toFailure>
}

/** A slug becomes the name of a folder, so anything else than a slug is refused. */
async function readAll(client: Edgepost): Promise<Template[]> {
  const found: Template[] = []
  for await (const template of client.templates.iterate({ limit: 100 })) {
    const isSlug = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(template.slug)
    if (!isSlug) throw new Error(`${clean(template.slug)} is not a slug.`)
    found.push(template)
  }
  return found
}

function outcomeOf(content: Content, known: Template | undefined): Result["outcome"] {
  if (!known) return "created"
  return isSame(content, known) ? "unchanged" : "updated"
}

/** If a template is refused, the others are still pushed. */
async function pushOne(
  client: Edgepost,
  slug: string,
  content: Content,
  known: Template | undefined,
): Promise<Result> {
  const outcome = outcomeOf(content, known)
  if (known && outcome === "unchanged") return { slug, outcome, version: known.version }
  try {
    const { version } = known
      ? await client.templates.update(slug, content)
      : await client.templates.create({ slug, ...content })
    return { slug, outcome, version }
  } catch (error) {
    return { slug, outcome: "failed", error: toFailure(error) }
  }
}

function diffOf(content: Content, known: Template | undefined): string[] {
  if (known && isSame(content, known)) return []
  const before: Record<string, string> = known ? toFiles(known) : {}
  const after: Record<string, string> = toFiles(content)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const lines = diffLines(before[name] ?? "", after[name] ?? "")
    return lines.length > 0 ? [name, ...lines] : []
  })
}

function printResults(
  session: Session,
  value: { dryRun?: boolean; templates: readonly Result[] },
): void {
  const { paint } = session
  const lines = value.templates.flatMap(({ slug, outcome, version, diff = [], error }) => [
    [
      slug,
      paintStatus(paint, outcome),
      version && `version ${version}`,
      error && clean(error.message),
    ]
      .filter(Boolean)
      .join("  "),
    ...diff.map((line) => `  ${colored(session, clean(line))}`),
  ])
  session.print(value, lines.length > 0 ? lines.join("\n") : "None.")
}

function colored({ paint }: Session, line: string): string {
  if (line.startsWith("+ ")) return paint("green", line)
  return line.startsWith("- ") ? paint("red", line) : line
}
