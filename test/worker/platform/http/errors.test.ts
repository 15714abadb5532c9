import { describe, expect, it } from "vitest"
import * as z from "zod"
import { type ApiError, invalid } from "../../../../src/worker/platform/http/errors.ts"
import { readInput } from "../../../../src/worker/platform/http/input/read-input.ts"

const schema = z.object({
  to: z.union([z.string().min(1), z.array(z.string())]),
  steps: z.union([
    z.object({ wait: z.string() }),
    z.object({ send: z.object({ to: z.string() }) }),
  ]),
})

function refusalOf(value: unknown): ApiError {
  try {
    readInput(schema, value)
  } catch (error) {
    return error as ApiError
  }
  throw new Error("The value is not refused")
}

describe("the issue of a union", () => {
  it("names all types where none fits", () => {
    const message = "Must be a string or a list, not a number"
    expect(refusalOf({ to: 5, steps: { wait: "3d" } })).toMatchObject({
      message: `to: ${message}`,
      details: [{ path: ["to"], message }],
    })
  })

  it("is that of the branch that fits best", () => {
    expect(refusalOf({ to: "", steps: { wait: "3d" } }).message).toBe("to: May not be empty")
    expect(refusalOf({ to: "a", steps: { send: {} } }).message).toBe("steps.send.to: Required")
  })
})

describe("the message of a refusal", () => {
  it("begins with the name of the field", () => {
    expect(invalid(["scheduledAt"], "Must be in the future")).toMatchObject({
      message: "scheduledAt: Must be in the future",
      details: [{ path: ["scheduledAt"], message: "Must be in the future" }],
    })
  })

  it("is a whole sentence alone", () => {
    expect(invalid(["domainId"], "Domain not found.").message).toBe("Domain not found.")
  })
})
