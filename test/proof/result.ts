import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"

/** What a command of the proof leaves behind. `npm run proof` gathers these files. */
export interface Result {
  name: string
  date: string
  /** As typed, so that anyone can run it again. */
  command: string
  machine?: Machine
  seeds?: readonly (string | number)[]
  figures: Record<string, string | number>
  /** Further rows, such as one a defect or an operation. */
  table?: { columns: readonly string[]; rows: readonly (readonly (string | number)[])[] }
  shows?: string
  doesNotShow?: string
}

export interface Machine {
  cores: number
  memoryGib: number
}

const FOLDER = new URL("results/", import.meta.url)

export const machine = (): Machine => ({
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
})

export const today = () => new Date().toISOString().slice(0, 10)

export const resultFile = (file: string) => new URL(`${file}.json`, FOLDER)

export function readResult(file: string): Result | undefined {
  try {
    return JSON.parse(readFileSync(resultFile(file), "utf8"))
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined
    throw error
  }
}

/** Results by the name of their file. */
export const readResults = (): Map<string, Result> =>
  new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith(".json"))
      .sort()
      .map((file) => file.slice(0, -".json".length))
      .map((file) => [file, readResult(file) as Result]),
  )

/** Adds the date and the machine. */
export function writeResult(file: string, result: Omit<Result, "date" | "machine">): void {
  const { name, command, ...others } = result
  const whole: Result = { name, date: today(), command, machine: machine(), ...others }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(resultFile(file), `${JSON.stringify(whole, null, 2)}\n`)
}
