/** A small defect: one edit of one file. */
export interface Mutant {
  name: string
  file: string
  /** Stands once in the file. */
  from: string
  to: string
  project: "worker" | "seeds"
  /** The test files that may catch the defect. */
  tests: readonly string[]
}

/** The source with the defect. */
export function mutate({ name, file, from, to }: Mutant, code: string): string {
  const found = code.split(from).length - 1
  if (found !== 1) throw new Error(`'${name}': its text stands ${found} times in ${file}`)
  return code.replace(from, () => to)
}

type Edits = Record<string, readonly [from: string, to: string]>

/** Defects of one file of the Worker, and the tests that may catch them. */
export const inFile = (file: string, tests: readonly string[], edits: Edits): Mutant[] =>
  Object.entries(edits).map(([name, [from, to]]) => ({
    name,
    file,
    from,
    to,
    project: "worker",
    tests: tests.map((test) => `test/${test}.test.ts`),
  }))

/** Defects that the fault test has to catch. */
export const underFaults = (file: string, edits: Edits): Mutant[] =>
  inFile(file, [], edits).map((mutant) => ({
    ...mutant,
    name: `${mutant.name}, under faults`,
    project: "seeds",
    tests: ["test/faults/worlds"],
  }))
