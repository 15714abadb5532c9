import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, it } from "vitest"
import { openApiText } from "../../src/reference/document.ts"
import { endpoints } from "../../src/worker/contract.ts"

const text = openApiText("https://mail.edgepost.test")

it("the OpenAPI document is valid 3.1 and has every endpoint", async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(text))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe("3.1")
  const operations = Object.values(JSON.parse(text).paths as Record<string, object>)
  expect(operations.flatMap(Object.keys)).toHaveLength(endpoints.length)
})
