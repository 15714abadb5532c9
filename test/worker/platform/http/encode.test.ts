import { describe, expect, it } from "vitest"
import * as z from "zod"
import { encode } from "../../../../src/worker/platform/http/encode.ts"
import { timestamp } from "../../../../src/worker/platform/http/shapes.ts"

describe("a reply is encoded as zod encodes it:", () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
  it.each<[string, z.ZodType, unknown]>([
    ["a time", timestamp, at],
    ["null", timestamp.nullable(), null],
    ["an absent member", z.object({ at: timestamp.optional() }), {}],
    ["a list of times", z.object({ all: z.array(timestamp) }), { all: [at, at] }],
    ["values by name", z.object({ tags: z.record(z.string(), timestamp) }), { tags: { a: at } }],
    ["one of several shapes", z.union([z.object({ at: timestamp }), z.string()]), { at }],
    [
      "one of several kinds",
      z.array(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("a"), at: timestamp }),
          z.object({ kind: z.literal("b"), note: z.string().optional() }),
        ]),
      ),
      [
        { kind: "a", at },
        { kind: "b", at },
        { kind: "b", note: "c" },
      ],
    ],
    ["members of any name", z.object({ a: z.string() }).catchall(z.unknown()), { a: "b", c: 1 }],
  ])("%s", (_what, schema, value) => {
    expect(JSON.parse(JSON.stringify(encode(schema, value)))).toEqual(z.encode(schema, value))
  })
})

it("a member that the schema lacks is left out, also in a list", () => {
  const schema = z.object({ keys: z.array(z.object({ id: z.string() })) })
  expect(encode(schema, { keys: [{ id: "a", secretHash: "b" }], salt: "c" })).toEqual({
    keys: [{ id: "a" }],
  })
})
