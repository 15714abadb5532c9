import { MIB } from "../../platform/http/input/body.ts"

export const IMPORT_MAX_CSV_BYTES = 2 * MIB
export const IMPORT_MAX_ROWS = 10_000
export const IMPORT_MAX_ERRORS = 100
