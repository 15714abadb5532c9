import * as z from "zod"
import { rememberFor } from "../../../lib/remember.ts"
import { perKind } from "./input/per-kind.ts"

type Encode = (value: unknown) => unknown

/**
 * Faster than `z.encode`, since it does not check our own values. An object keeps only the members
 * of its schema.
 */
export const encode = <S extends z.ZodType>(schema: S, value: unknown): z.input<S> =>
  encoderOf(schema)(value) as z.input<S>

const encoderOf = rememberFor(createEncoder)

const asItIs: Encode = (value) => value

function createEncoder(schema: z.core.$ZodType): Encode {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "enum":
    case "literal":
      return asItIs
    case "lazy":
      return (value) => encoderOf(def.getter())(value)
    case "default":
    case "nullable":
    case "optional":
      return encodeIfPresent(encoderOf(def.innerType))
    case "array":
      return encodeList(encoderOf(def.element))
    case "object":
      return def.catchall ? encodeByZod(schema) : encodeObject(def.shape)
    case "union":
      return "discriminator" in def
        ? encodeOneOf(def as z.core.$ZodDiscriminatedUnionDef)
        : encodeByZod(schema)
    case "pipe":
      return schema instanceof z.ZodCodec ? encodeCodec(schema) : encodeByZod(schema)
    default:
      return encodeByZod(schema)
  }
}

const encodeByZod =
  (schema: z.core.$ZodType): Encode =>
  (value) =>
    z.encode(schema, value)

const encodeIfPresent =
  (inner: Encode): Encode =>
  (value) =>
    value === null || value === undefined ? value : inner(value)

const encodeList = (item: Encode): Encode =>
  item === asItIs ? asItIs : (value) => (value as unknown[]).map(item)

function encodeObject(shape: z.core.$ZodShape): Encode {
  const members = Object.entries(shape).map(([name, member]) => ({ name, of: encoderOf(member) }))
  return (value) => {
    const object = value as Record<string, unknown>
    const encoded: Record<string, unknown> = {}
    for (const { name, of } of members) encoded[name] = of(object[name])
    return encoded
  }
}

/** The member `discriminator` tells the shape of an object. */
function encodeOneOf(union: z.core.$ZodDiscriminatedUnionDef): Encode {
  const byKind = perKind(union, encoderOf)
  return (value) => {
    const encoder = byKind.get((value as Record<string, unknown>)[union.discriminator])
    if (!encoder) throw new Error("The value is none of the shapes of its schema")
    return encoder(value)
  }
}

function encodeCodec({ def }: z.ZodCodec): Encode {
  const inner = encoderOf(def.in)
  const outer = encoderOf(def.out)
  return (value) => inner(def.reverseTransform(outer(value), { value, issues: [] }))
}
