import {
  IMPORT_MAX_CSV_BYTES,
  IMPORT_MAX_ROWS,
} from "../../../../worker/contacts/import/import-limits.ts"
import { number } from "../../../ui/numbers.ts"
import { type CsvFile, hasHeader, readRows, toFile } from "./csv.ts"
import { decode, detectEncoding, type Encoding } from "./decode.ts"

const MIB = 1024 * 1024

/** A file, and how it is read. A person may change both choices. */
export interface ChosenFile {
  name: string
  bytes: Uint8Array
  encoding: Encoding
  isEncodingSure: boolean
  isHeaded: boolean
  file: CsvFile
  /** A cell beyond ASCII, from which a person sees whether the encoding is right. */
  sample: string | undefined
}

export async function chooseFile(file: File): Promise<ChosenFile> {
  if (file.size > 2 * IMPORT_MAX_CSV_BYTES) {
    throw new Error(
      `The file is ${number(Math.ceil(file.size / MIB))} MiB. The limit is ${IMPORT_MAX_CSV_BYTES / MIB} MiB: split it.`,
    )
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { encoding, isSure } = detectEncoding(bytes)
  return readAs({ name: file.name, bytes, isEncodingSure: isSure }, encoding)
}

export function readAs(
  { name, bytes, isEncodingSure }: Pick<ChosenFile, "name" | "bytes" | "isEncodingSure">,
  encoding: Encoding,
  isHeaded?: boolean,
): ChosenFile {
  const rows = readRows(decode(bytes, encoding))
  const headed = isHeaded ?? hasHeader(rows)
  const file = toFile(rows, headed)
  if (rows.length === 0) throw new Error("The file is empty.")
  if (file.rows.length === 0) throw new Error("The file has a header, but no rows.")
  if (file.rows.length > IMPORT_MAX_ROWS) {
    throw new Error(
      `The file has ${number(file.rows.length)} rows. The limit is ${number(IMPORT_MAX_ROWS)}: split it.`,
    )
  }
  const sample = rows.flatMap(({ cells }) => cells).find((cell) => /[^\x20-\x7e\n]/.test(cell))
  return { name, bytes, encoding, isEncodingSure, file, sample, isHeaded: headed }
}
