import * as z from "zod"
import { isPlainObject } from "../../../../lib/json.ts"
import { meantNames } from "../../../../lib/misspelt.ts"
import { rememberFor } from "../../../../lib/remember.ts"
import type { Issue } from "../errors.ts"
import { perKind } from "./per-kind.ts"

/** Values that are too large to validate, and names that are misspelt or forbidden. */
interface Findings {
  tooLarge: Issue[]
  badNames: Issue[]
}

interface Search extends Findings {
  path: (string | number)[]
}

/** The limit of all members of an object. No schema comes near it. */
const MAX_MEMBERS = 1_000

type Checker = (value: unknown, search: Search) => void

/**
 * Checks a value against its schema before zod does. zod validates all members before it counts
 * them, and drops unknown members silently.
 */
export function precheck(schema: z.core.$ZodType, value: unknown): Findings {
  const search: Search = { tooLarge: [], badNames: [], path: [] }
  checkerOf(schema)?.(value, search)
  return search
}

/** Null if there is nothing to check. */
const checkerOf = rememberFor(createChecker)

function createChecker(schema: z.core.$ZodType): Checker | null {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case "string":
      return textChecker(def)
    case "object":
      return objectChecker(def.shape)
    case "array":
      return listChecker(maxLength(def), checkerOf(def.element))
    case "record":
      return dictionaryChecker(maxMembers(schema), checkerOf(def.valueType))
    case "union":
      return unionChecker(def)
    case "pipe":
      return checkerOf(def.in)
    case "lazy":
      return nestedChecker(def)
    default:
      return "innerType" in def ? checkerOf(def.innerType) : null
  }
}

/** No schema that contains itself comes near it. Deeper values would fill the stack. */
const MAX_PATH = 64

/** The inner checker is made at the first value, since the schema contains itself. */
const nestedChecker =
  ({ getter }: z.core.$ZodLazyDef): Checker =>
  (value, search) =>
    search.path.length > MAX_PATH
      ? note(search, "tooLarge", "Nested too deeply")
      : checkerOf(getter())?.(value, search)

const checksOf = ({ checks = [] }: z.core.$ZodTypeDef) =>
  checks.map(({ _zod }) => _zod.def as z.core.$ZodChecks["_zod"]["def"])

const maxLength = (def: z.core.$ZodTypeDef) =>
  Math.min(
    ...checksOf(def).map((one) => (one.check === "max_length" ? one.maximum : Infinity)),
    Infinity,
  )

const maxMembers = (schema: z.core.$ZodType) =>
  z.globalRegistry.get(schema)?.maxProperties as number | undefined

/** Text that the schema trims is measured by zod, after trimming. */
function textChecker(def: z.core.$ZodTypeDef): Checker | null {
  const max = maxLength(def)
  if (max === Infinity || checksOf(def).some(({ check }) => check === "overwrite")) return null
  return (value, search) => {
    if (typeof value === "string" && value.length > max) {
      note(search, "tooLarge", `At most ${max} characters`)
    }
  }
}

function listChecker(max: number, check: Checker | null): Checker {
  return (value, search) => {
    if (!Array.isArray(value)) return
    if (value.length > max) return note(search, "tooLarge", `At most ${max} items`)
    if (check) for (const [index, item] of value.entries()) within(search, index, item, check)
  }
}

/** An object whose names the caller chooses. zod drops `__proto__` silently. */
function dictionaryChecker(max = Infinity, check: Checker | null): Checker {
  return (value, search) => {
    if (!isPlainObject(value)) return
    if (Object.hasOwn(value, "__proto__")) {
      within(search, "__proto__", value, (_value, at) =>
        note(at, "badNames", "Not allowed as a name"),
      )
    }
    let members = 0
    for (const name in value) {
      if (++members > max) return tooManyMembers(search, max)
      if (check) within(search, name, value[name], check)
    }
  }
}

function objectChecker(shape: z.core.$ZodShape): Checker {
  const members = new Map(Object.entries(shape).map(([name, member]) => [name, checkerOf(member)]))
  const namesMeant = meantNames([...members.keys()])
  return (value, search) => {
    if (!isPlainObject(value)) return
    let count = 0
    for (const name in value) {
      if (++count > MAX_MEMBERS) return tooManyMembers(search, MAX_MEMBERS)
      const check = members.get(name)
      if (check) within(search, name, value[name], check)
      else if (check === undefined) noteMisspelt(search, name, namesMeant(name))
    }
  }
}

/** One check for each kind of value. The discriminator tells the kind of an object. */
function unionChecker(def: z.core.$ZodUnionDef & { discriminator?: string }): Checker | null {
  const { options, discriminator } = def
  if (discriminator === undefined) {
    const inner = options.flatMap((option) => checkerOf(option) ?? [])
    return inner.length === 0
      ? null
      : (value, search) => {
          for (const check of inner) check(value, search)
        }
  }
  const byKind = perKind({ options, discriminator }, checkerOf)
  const unknownKind = objectChecker({ [discriminator]: z.unknown() })
  return (value, search) => {
    if (!isPlainObject(value)) return
    const check = byKind.get(value[discriminator]) ?? unknownKind
    check(value, search)
  }
}

function noteMisspelt(search: Search, name: string, meant: readonly string[]): void {
  if (meant.length === 0) return
  const message = `Unknown: did you mean '${meant.join("' or '")}'?`
  within(search, name, undefined, () => note(search, "badNames", message))
}

const tooManyMembers = (search: Search, max: number) =>
  note(search, "tooLarge", `At most ${max} members`)

function within(search: Search, part: string | number, value: unknown, check: Checker): void {
  search.path.push(part)
  check(value, search)
  search.path.pop()
}

function note(search: Search, kind: keyof Findings, message: string): void {
  search[kind].push({ path: [...search.path], message })
}
