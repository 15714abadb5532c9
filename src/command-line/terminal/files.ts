import { readFileSync } from "node:fs"
import { UsageError } from "./failure.ts"

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
