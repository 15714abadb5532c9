import { expect, it } from "vitest"
import * as z from "zod"
import { asTask, enter, inWords } from "../../src/dashboard/ui/form/issue-words.ts"
import { createApiKey } from "../../src/worker/access/keys/contract.ts"
import { createWebhook } from "../../src/worker/webhooks/contract.ts"

const said = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: inWords }).error?.issues.map(({ message }) => message)

it("names what to do in a form, not what the schema expected", () => {
  const key = { name: "", permission: "full" }
  expect(said(createApiKey.json, key)).toEqual(["Enter a name"])
  expect(said(createApiKey.json, { ...key, name: "a".repeat(65) })).toEqual([
    "Use at most 64 characters",
  ])
  expect(said(createWebhook.json, { url: "https://example.com", events: [] })).toEqual([
    "Choose at least one event",
  ])
  expect(said(z.object({ email: z.email() }), { email: "ada" })).toEqual([
    "Enter an email address, such as ada@example.com",
  ])
  expect(said(z.object({ size: z.number().min(4) }), { size: 1 })).toEqual(["Enter at least 4"])
})

it("keeps a message of the contract's own, and has a word for every field", () => {
  expect(said(z.string().regex(/^a/, "Start with a"), "b")).toEqual(["Start with a"])
  expect(enter("subject")).toBe("Enter a subject")
  expect(enter("anything")).toBe("Enter a value")
})

it("turns what a value must be into what to do", () => {
  expect(asTask("Must be a domain name")).toBe("Enter a domain name")
  expect(asTask("Must be 'a@b.c' or 'Name <a@b.c>'")).toBe("Enter 'a@b.c' or 'Name <a@b.c>'")
  expect(asTask("Must be in the future")).toBe("Must be in the future")
})
