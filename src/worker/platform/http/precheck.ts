import * as z from "zod"
import type { Issue } from "./errors.ts"
import { meantNames } from "./misspelt.ts"

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
  lookOf(schema)?.(value, search)
  return search
}

const looks = new WeakMap<z.core.$ZodType, Checker | null>()

/** Null if there is nothing to check. */
function lookOf(schema: z.core.$ZodType): Checker | null {
  const known = looks.get(schema)
  if (known !== undefined) return known
  const look = makeLook(schema)
  looks.set(schema, look)
  return look
}

function makeLook(schema: z.core.$ZodType): Checker | null {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case "string":
      return lookAtText(def)
    case "object":
      return lookAtObject(def.shape)
    case "array":
      return lookAtList(maxLength(def), lookOf(def.element))
    case "record":
      return lookAtDictionary(maxMembers(schema), lookOf(def.valueType))
    case "union":
      return lookAtUnion(def)
    case "pipe":
      return lookOf(def.in)
    default:
      return "innerType" in def ? lookOf(def.innerType) : null
  }
}

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
function lookAtText(def: z.core.$ZodTypeDef): Checker | null {
  const max = maxLength(def)
  if (max === Infinity || checksOf(def).some(({ check }) => check === "overwrite")) return null
  return (value, search) => {
    if (typeof value === "string" && value.length > max) {
      note(search, "tooLarge", `At most ${max} characters`)
    }
  }
}

function lookAtList(max: number, look: Checker | null): Checker {
  return (value, search) => {
    if (!Array.isArray(value)) return
    if (value.length > max) return note(search, "tooLarge", `At most ${max} items`)
    if (look) for (const [index, item] of value.entries()) within(search, index, item, look)
  }
}

/** An object whose names the caller chooses. zod drops `__proto__` silently. */
function lookAtDictionary(max = Infinity, look: Checker | null): Checker {
  return (value, search) => {
    if (!isObject(value)) return
    if (Object.hasOwn(value, "__proto__")) {
      within(search, "__proto__", value, (_value, at) =>
        note(at, "badNames", "Not allowed as a name"),
      )
    }
    let members = 0
    for (const name in value) {
      if (++members > max) return tooManyMembers(search, max)
      if (look) within(search, name, value[name], look)
    }
  }
}

function lookAtObject(shape: z.core.$ZodShape): Checker {
  const members = new Map(Object.entries(shape).map(([name, member]) => [name, lookOf(member)]))
  const namesMeant = meantNames([...members.keys()])
  return (value, search) => {
    if (!isObject(value)) return
    let count = 0
    for (const name in value) {
      if (++count > MAX_MEMBERS) return tooManyMembers(search, MAX_MEMBERS)
      const look = members.get(name)
      if (look) within(search, name, value[name], look)
      else if (look === undefined) noteMisspelt(search, name, namesMeant(name))
    }
  }
}

/** One check for each kind of value. The discriminator tells the kind of an object. */
function lookAtUnion(def: z.core.$ZodUnionDef & { discriminator?: string }): Checker | null {
  const { options, discriminator } = def
  if (discriminator === undefined) {
    const inner = options.flatMap((option) => lookOf(option) ?? [])
    return inner.length === 0
      ? null
      : (value, search) => {
          for (const look of inner) look(value, search)
        }
  }
  const byKind = new Map<unknown, Checker | null>()
  for (const option of options) {
    for (const kind of option._zod.propValues?.[discriminator] ?? [])
      byKind.set(kind, lookOf(option))
  }
  const unknownKind = lookAtObject({ [discriminator]: z.unknown() })
  return (value, search) => {
    if (!isObject(value)) return
    const look = byKind.get(value[discriminator]) ?? unknownKind
    look(value, search)
  }
}

function noteMisspelt(search: Search, name: string, meant: readonly string[]): void {
  if (meant.length === 0) return
  const message = `Unknown: did you mean '${meant.join("' or '")}'?`
  within(search, name, undefined, () => note(search, "badNames", message))
}

const tooManyMembers = (search: Search, max: number) =>
  note(search, "tooLarge", `At most ${max} members`)

function within(search: Search, part: string | number, value: unknown, look: Checker): void {
  search.path.push(part)
  look(value, search)
  search.path.pop()
}

function note(search: Search, kind: keyof Findings, message: string): void {
  search[kind].push({ path: [...search.path], message })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
