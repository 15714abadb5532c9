import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { dashboardEndpoints, endpoints } from "../../../../src/worker/contract.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import { ERROR_STATUS, type ErrorCode } from "../../../../src/worker/platform/http/errors.ts"
import { commonRefusals } from "../../../../src/worker/platform/http/openapi/refusals.ts"
import { EVENT_TYPES } from "../../../../src/worker/webhooks/events/types.ts"
import { request } from "../../../support/api.ts"

// biome-ignore lint/suspicious/noExplicitAny: a document of every shape
type Any = any

const { BASE_URL } = env as Env

const { body: document } = await request("GET", "/api/v1/openapi.json")
const operations: Any[] = Object.values<Any>(document.paths).flatMap((path) => Object.values(path))
const operationOf = (name: string) => operations.find((one) => one.operationId === name)

/** Everything in a part of the document that stands under a name. */
function everyValue(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...everyValue(inner, name),
  ])
}

describe("the OpenAPI document", () => {
  it("calls each operation as the client library does", () => {
    const names = [...endpoints, ...dashboardEndpoints].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      endpoints.map(({ name }) => name).sort(),
    )
    const ofTheLibrary = `me stats stream sandbox.list
      emails.send emails.batch emails.get emails.list emails.cancel emails.reschedule
      domains.create domains.list domains.get domains.verify domains.delete
      apiKeys.create apiKeys.list apiKeys.revoke
      webhooks.create webhooks.list webhooks.get webhooks.update webhooks.delete webhooks.test
      suppressions.add suppressions.list suppressions.remove
      templates.create templates.list templates.get templates.update templates.render templates.remove
      contactBooks.create contactBooks.list contactBooks.get contactBooks.update contactBooks.import
      contactBooks.remove contacts.create contacts.list contacts.get contacts.update contacts.remove
      contacts.unsubscribe campaigns.create campaigns.list campaigns.get campaigns.update
      campaigns.audience campaigns.schedule campaigns.sendNow campaigns.cancel campaigns.remove`
    expect(names).toEqual(expect.arrayContaining(ofTheLibrary.split(/\s+/)))
  })

  it("describes every tag that is used", () => {
    const used = new Set(operations.flatMap(({ tags }) => tags))
    expect(new Set(document.tags.map(({ name }: Any) => name))).toEqual(used)
    for (const { description } of document.tags) expect(description).toMatch(/\w{3}/)
  })

  it("names the records and the pages of lists", () => {
    for (const one of endpoints.filter(({ query }) => query?.shape.limit)) {
      const { schema } = operationOf(one.name).responses[200].content["application/json"]
      expect([one.name, schema.$ref]).toEqual([one.name, expect.stringMatching(/Page$/)])
    }
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Email", "EmailPage", "Domain", "Contact", "Campaign", "SendInput"]),
    )
  })

  it("lists what each call refuses, by status", () => {
    for (const one of endpoints) {
      const codes = [...commonRefusals(one), ...(Object.keys(one.refuses ?? {}) as ErrorCode[])]
      const statuses = codes.map((code) => String(ERROR_STATUS[code]))
      const { responses } = operationOf(one.name)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses))
      if (one.access !== "public") expect(responses[401].description).toContain("unauthorized")
    }
    expect(operationOf("stats").responses[429].content).toBeTruthy()
  })

  it("has every event that a webhook gets", () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES])
    const { post } = document.webhooks["email.bounced"]
    const { $ref } = post.requestBody.content["application/json"].schema
    expect($ref).toBe("#/components/schemas/EmailBouncedEvent")
    const { properties } = document.components.schemas.EmailBouncedEvent
    expect(properties.type.const).toBe("email.bounced")
    expect(properties.data.properties.email.$ref).toBe("#/components/schemas/Email")
    expect(post.parameters.map(({ name }: Any) => name)).toContain("svc-signature")
  })

  it("makes nothing that a caller may leave out look required", () => {
    const schemas = [...everyValue(document.paths, "schema"), document.components.schemas]
    const withoutExamples = JSON.parse(JSON.stringify(schemas), (key, value) =>
      key === "example" ? undefined : value,
    )
    const defaults = everyValue(withoutExamples, "default").filter((one) => !isObject(one))
    expect(defaults).toEqual([])
    const { required, properties } = document.components.schemas.SendInput
    expect(required).toEqual(["from", "to"])
    expect(properties.overrideSuppression.description).toContain("By default `false`.")
    // A member of a condition has this name, too.
    const withoutMembers = JSON.parse(JSON.stringify(schemas), (_key, value) =>
      isObject(value) && "activity" in value ? undefined : value,
    )
    expect(everyValue(withoutMembers, "not")).toEqual([])
  })

  it("gives numbers in the query as integers", () => {
    const { parameters } = operationOf("sandbox.list")
    const wait = parameters.find(({ name }: Any) => name === "wait")
    expect(wait.schema).toEqual({ type: "integer", minimum: 0, maximum: 30 })
  })

  it("refers to nothing that it does not have", () => {
    for (const ref of everyValue(document, "$ref") as string[]) {
      expect(document.components.schemas).toHaveProperty(ref.split("/").at(-1)!)
    }
  })

  it("has a licence, and links to the reference of its own server", () => {
    expect(document.info.license).toEqual({ name: "MIT", identifier: "MIT" })
    expect(document.servers).toEqual([{ url: `${BASE_URL}/api/v1` }])
    const text = JSON.stringify(document)
    expect(text).not.toContain("](#")
    expect(text).toContain(`](${BASE_URL}/docs#idempotency)`)
  })
})

/** A property may have the name. */
const isObject = (value: unknown) => typeof value === "object" && value !== null
