import { expect, it } from "vitest"
import * as z from "zod"
import { plainIssue } from "../../src/lib/plain-issue.ts"

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, "Required"],
  [z.string(), 5, "Must be a string, not a number"],
  [z.array(z.string()), {}, "Must be a list, not an object"],
  [z.record(z.string(), z.string()), [], "Must be an object, not a list"],
  [z.object({}), null, "Must be an object, not null"],
  [z.boolean(), "yes", "Must be true or false, not a string"],
  [z.string(), true, "Must be a string, not true"],
  [z.int(), 1.5, "Must be a whole number, not a number"],
  [z.union([z.string(), z.array(z.string())]), 5, "Must be a string or a list, not a number"],
  [z.union([z.string(), z.boolean()]), undefined, "Required"],
  [z.enum(["refuse", "skip"]), undefined, "Required"],
  [z.literal([1, 2, 3]), 4, "Must be 1, 2 or 3"],
  [z.enum(["refuse", "skip"]), "drop", 'Must be "refuse" or "skip"'],
  [z.string().min(1), "", "May not be empty"],
  [z.string().min(3), "a", "At least 3 characters"],
  [z.string().max(998), "a".repeat(999), "At most 998 characters"],
  [z.array(z.string()).min(1), [], "At least 1 item"],
  [z.number().min(1), 0, "At least 1"],
  [z.number().positive(), 0, "More than 0"],
  [z.number().max(100), 101, "At most 100"],
  [z.number().lt(100), 100, "Less than 100"],
  [z.string().refine(() => false, "In words of its own"), "a", "In words of its own"],
])("a refusal of a schema is in plain words (%#)", (schema, value, message) => {
  expect(schema.safeParse(value, { error: plainIssue }).error?.issues).toMatchObject([{ message }])
})

it("an unknown kind names those that there are", () => {
  const kinds = ["wait", "send"].map((kind) => z.object({ kind: z.literal(kind) }))
  const steps = z.discriminatedUnion("kind", kinds as [(typeof kinds)[0], (typeof kinds)[0]])
  const { error } = steps.safeParse({ kind: "sleep" }, { error: plainIssue })
  expect(error?.issues).toMatchObject([{ path: ["kind"], message: 'Must be "wait" or "send"' }])
})
