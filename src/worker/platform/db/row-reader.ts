import { Column, is, SQL } from "drizzle-orm"

type Row = Record<string, unknown>

/** Reads what D1 answers to a query of a batch. */
export type MapResult = (result: { results: Row[] }, isFromBatch: boolean) => unknown

/** The parts of drizzle's prepared query that its types hide. */
export interface PreparedQuery {
  getQuery(): { sql: string; params: unknown[] }
  mapResult: MapResult
  /** The selected fields in their order; absent for raw SQL. */
  fields?: { path: string[]; field: Field }[]
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown
}
type DecodedSql = SQL & { decoder: Decoder }
type Field = Column | DecodedSql | { sql: DecodedSql }

/**
 * drizzle looks at the kind of every field in every row. This reader looks once for each query: a
 * page of emails has 364 fields.
 */
export function rowReader(prepared: PreparedQuery): MapResult {
  const { fields } = prepared
  const isFlat = fields?.every(({ path }) => path.length === 1)
  if (!fields || !isFlat) return prepared.mapResult.bind(prepared)
  const members = fields.map(({ path: [name = ""], field }) => {
    const decoder = decoderOf(field)
    return { name, decode: decoder.mapFromDriverValue.bind(decoder) }
  })
  return ({ results }) =>
    results.map((row) => {
      const read: Row = {}
      const values = Object.values(row)
      for (const [index, { name, decode }] of members.entries()) {
        const value = values[index]
        read[name] = value === null ? null : decode(value)
      }
      return read
    })
}

function decoderOf(field: Field): Decoder {
  if (is(field, Column)) return field
  return is(field, SQL) ? field.decoder : field.sql.decoder
}
