import type { AsRequest } from "./request-codes.ts"

/** A call of the API, and of the client library: its name, and what it takes. A body comes last. */
export function requestOf(
  method: AsRequest["method"],
  path: string,
  name: string,
  ...input: (string | object)[]
): AsRequest {
  const json = input.at(-1)
  const library = `await edgepost.${name}(${input.map((one) => JSON.stringify(one, null, 2)).join(", ")})`
  return { method, path, ...(typeof json === "object" && { json }), library }
}

/** The call that changes a record of a list; without one, that creates one. */
export const saveRequest = (
  path: string,
  noun: string,
  record: { id: string } | null | undefined,
  json: object,
): AsRequest =>
  record
    ? requestOf("PATCH", `${path}/${record.id}`, `${noun}.update`, record.id, json)
    : requestOf("POST", path, `${noun}.create`, json)
