import { exports } from "cloudflare:workers"
import { Resend } from "resend"
import { vi } from "vitest"
import { BASE_URL } from "../../support/api.ts"

/** The package, with its own way of calling: its base URL leads to this Worker. */
export const createResend = (key: string) => new Resend(key, { baseUrl: `${BASE_URL}/resend` })

/** The package calls the global `fetch`. */
export const routeFetch = () =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation((input, init) => exports.default.fetch(new Request(input, init)))

/** Members of its classes that call nothing. */
const INTERNAL = [
  "constructor",
  "performCreate",
  "buildCreateFormData",
  "buildColumnMap",
  "appendField",
  "forwardPassthrough",
  "forwardWrapped",
  "downloadRaw",
]

/** Every method of the package, such as `emails.send`. */
export function methodsOf(resource: object, prefix = ""): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
    .filter((name) => prefix !== "" && !INTERNAL.includes(name))
    .map((name) => prefix + name)
  const inner = Object.entries(resource).flatMap(([name, value]) =>
    typeof value === "object" && name !== "resend" && !(value instanceof Headers)
      ? methodsOf(value, `${prefix}${name}.`)
      : [],
  )
  return [...own, ...inner]
}
