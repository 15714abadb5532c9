import { accessTable } from "./access/matrix.ts"
import { comparison } from "./comparison.ts"
import type { Result } from "./result.ts"

type Results = ReadonlyMap<string, Result>

/** In the order of the document. Results of other names follow. */
const ORDER = [
  ...["abuse", "mutants", "faults", "faults-databases", "chaos", "upgrade", "secrets", "cost"],
  ...["scale", "readers", "databases"],
]

const rank = (file: string) => (ORDER.indexOf(file) + ORDER.length) % ORDER.length

const cell = (value: string | number) => String(value).replaceAll("|", "\\|")
const row = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(" | ")} |`
const table = (columns: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(columns), row(columns.map(() => "---")), ...rows.map(row)].join("\n")

const number = (value: string | number) =>
  typeof value === "number" ? value.toLocaleString("en-US") : value

export function section({ name, command, date, machine, seeds, ...result }: Result): string {
  const { figures, shows, doesNotShow } = result
  const where = machine ? ` on ${machine.cores} cores and ${machine.memoryGib} GiB` : ""
  const from = seeds?.length ? `, seeds ${seeds.join(", ")}` : ""
  return [
    `## ${name}`,
    `\`${command}\`, ${date}${where}${from}`,
    table(
      ["figure", "value"],
      Object.entries(figures).map(([label, value]) => [label, number(value)]),
    ),
    ...(shows ? [`What it shows: ${shows}`] : []),
    ...(doesNotShow ? [`What it does not show: ${doesNotShow}`] : []),
    ...(result.table ? [table(result.table.columns, result.table.rows)] : []),
  ].join("\n\n")
}

export const proofDocument = (results: Results) =>
  [
    "# Proof",
    "What was measured and tried, each with the command that does it again. `npm run proof` writes this page from the results that the commands leave in `test/proof/results`.",
    ...[...results].toSorted(([a], [b]) => rank(a) - rank(b)).map(([, result]) => section(result)),
    "## What others promise",
    comparison,
    "## Who may call what",
    "Every call of the contract, with each kind of key and each role. `yes` means that the guard lets the caller in; an empty cell means that the API of keys has no such call. A domain restricts what a key sends, not what it reads. `npm run access` makes each of these calls.",
    accessTable(),
  ]
    .join("\n\n")
    .concat("\n")

export const [BEGIN, END] = ["<!-- figures from docs/proof.md -->", "<!-- end of figures -->"]

type Figure = (name: string) => string | number

/** What the readme says of a result. */
const FIGURES: Record<string, (figure: Figure) => string> = {
  "faults-databases": (figure) =>
    `${figure("emails")} emails through ${figure("seeds")} seeds of faults, ${figure("lost")} lost`,
  chaos: (figure) =>
    `${figure("kills")} kills under load, ${figure("violations")} lost, doubled or untold`,
  abuse: (figure) =>
    `${figure("requests")} hostile requests, ${figure("other team's data")} with another team's data`,
}

/** The line of the readme. */
export function readmeFigures(results: Results): string {
  const tried = Object.entries(FIGURES).flatMap(([file, say]) => {
    const figures = results.get(file)?.figures
    if (!figures) return []
    return [
      say((name) => {
        if (!(name in figures)) throw new Error(`The result '${file}' has no figure '${name}'`)
        return number(figures[name] as string | number)
      }),
    ]
  })
  return `[Proof](docs/proof.md): ${tried.join("; ")}.`
}

export function withFigures(readme: string, figures: string): string {
  const [before, rest] = readme.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (after === undefined) throw new Error("The readme has no place for the figures")
  return `${before}${BEGIN}\n${figures}\n${END}${after}`
}
