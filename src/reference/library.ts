import type { Endpoint } from "../worker/platform/http/endpoint.ts"
import { pathParameters } from "./curl.ts"
import { pretty } from "./example.ts"

/**
 * The call of the client library. Its method has the endpoint's name and takes the parameters of the
 * path, then the body. Null where the library has no method.
 */
export function libraryCall(endpoint: Endpoint): string | null {
  const { name, path, access, example, exampleQuery, responseType, fileType } = endpoint
  if (access === "public" || access === "session") return null
  if (responseType === "text/event-stream") {
    return `for await (const change of edgepost.${name}()) {\n  console.log(change)\n}`
  }
  const params = pathParameters(path).map((one) => JSON.stringify(decodeURIComponent(one.example)))
  const body = example?.()
  const file = fileType ? [`readFileSync("message.eml")`] : []
  const given = [body, exampleQuery].filter((one) => one !== undefined)
  const args = [...params, ...file, ...given.map((one) => unquoted(pretty(one)))]
  const method = name.replace(/\.(delete|revoke)$/, ".remove")
  return `await edgepost.${method}(${args.join(", ")})`
}

/** Names of members without quotes, as people write them. A name is followed by a colon. */
const unquoted = (json: string) =>
  json.replace(/"((?:[^"\\]|\\.)*)"(:?)/g, (text, name, colon) =>
    colon && /^[A-Za-z_]\w*$/.test(name) ? `${name}:` : text,
  )
