import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, it } from "vitest"
import { endpoints } from "../../src/contract.ts"
import { openApi } from "../../src/http/openapi.ts"

it("the OpenAPI document is valid 3.1 and has every endpoint", async () => {
  const document = openApi(endpoints, "https://example.com/api/v1")
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe("3.1")
  const operations = Object.values(document.paths as Record<string, object>).flatMap(Object.keys)
  expect(operations).toHaveLength(endpoints.length)
})
