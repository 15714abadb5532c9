import fc from "fast-check"
import { BODIES, HOSTILE, HOSTILE_NAMES, HOSTILE_STRINGS } from "./hostile.ts"
import { nearlyValid } from "./schema.ts"
import { schemas, TARGETS, type Target } from "./targets.ts"

/** What a failure shows, and what the next run of the same seed makes again. */
export interface Abuse {
  surface: Target["surface"]
  name: string
  caller: Caller
  /** Whose object each part of the path names: `ours`, `theirs`, or a text. */
  id: "ours" | "theirs" | { text: string }
  changes: Change[]
  query: [name: string, value: string][]
  headers: Record<string, string>
  /** The whole body, by its name in `BODIES`. */
  body: string | null
}

export interface Change {
  path: (string | number)[]
  /** JSON text, a name in `HOSTILE`, or the removal of the member. */
  value: { json: string } | { hostile: string } | { theirs: true } | null
}

const KEYS = ["full", "sending only", "of one domain", "revoked", "none", "garbage"] as const
const PEOPLE = ["owner", "admin", "member", "in their team", "none", "garbage"] as const
export type Caller = (typeof KEYS)[number] | (typeof PEOPLE)[number]

/** Mostly somebody who may call, since the others are refused early. */
const mostly = (callers: readonly [Caller, ...Caller[]]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(callers[0]) },
    { weight: 2, arbitrary: fc.constantFrom(...callers) },
  )

const id = fc.oneof(
  { weight: 6, arbitrary: fc.constant("ours" as const) },
  { weight: 2, arbitrary: fc.constant("theirs" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_STRINGS).map((text) => ({ text })) },
)

const hostile = fc.constantFrom(...HOSTILE_NAMES).map((name) => ({ hostile: name }))
const json = (value: unknown) => ({ json: JSON.stringify(value) })

const memberValue = (schema: Target["members"][number]["schema"]) => {
  const near = nearlyValid(schema).map((text) => ({ json: text }))
  return fc.oneof(
    { weight: 4, arbitrary: schemas.valid(schema).map(json) },
    { weight: 4, arbitrary: hostile },
    { weight: 1, arbitrary: fc.constant({ theirs: true as const }) },
    { weight: 1, arbitrary: fc.constant(null) },
    ...(near.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...near) }] : []),
  )
}

const unknownName = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "teamId",
  "id",
  "\u0000",
  "x",
)

function changesOf({ members, body }: Target): fc.Arbitrary<Change[]> {
  if (!body) return fc.constant([])
  const ofMembers = members.map(({ path, schema }) =>
    fc.record({ path: fc.constant(path), value: memberValue(schema) }),
  )
  const unknown = fc.record({ path: unknownName.map((name) => [name]), value: hostile })
  return fc.array(fc.oneof(...ofMembers, unknown), { maxLength: 3 })
}

const header = fc.constantFrom(
  "x",
  " ",
  "x".repeat(300),
  "=?utf-8?q?=00?=",
  "a,b",
  "0",
  "%00",
  "a".repeat(64),
)

const headersOf = ({ surface }: Target) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom(
          "idempotency-key",
          "x-request-id",
          "content-type",
          "accept-language",
          "last-event-id",
          ...(surface === "resend" ? ["x-batch-validation"] : []),
        ),
        header,
        { maxKeys: 2 },
      ),
    },
  )

const queryOf = (target: Target) => {
  const value = fc.oneof(
    fc.constantFrom(...HOSTILE_STRINGS),
    fc.constantFrom("1", "100", "101", "true", "day", "email", "delivered", "2026-01-01T00:00:00Z"),
    fc.constant("theirs"),
  )
  const name = fc.constantFrom(...target.query, "unknown")
  return target.method === "GET"
    ? fc.array(fc.tuple(name, value), { maxLength: 3 })
    : fc.constant<[string, string][]>([])
}

const abuseOf = (target: Target): fc.Arbitrary<Abuse> =>
  fc.record({
    surface: fc.constant(target.surface),
    name: fc.constant(target.name),
    caller: mostly(target.surface === "session" ? PEOPLE : KEYS),
    id,
    changes: changesOf(target),
    query: queryOf(target),
    headers: headersOf(target),
    body: fc.oneof(
      { weight: 30, arbitrary: fc.constant(null) },
      { weight: target.body ? 1 : 0, arbitrary: fc.constantFrom(...Object.keys(BODIES)) },
    ),
  })

export const abuses = fc.oneof(...TARGETS.map(abuseOf))

/** The JSON text of a body with its changes. A mark stands for a value that is only text. */
export function bodyText(example: unknown, { changes, body }: Abuse, theirs: string): string {
  if (body !== null) return BODIES[body]?.() ?? ""
  const texts: string[] = []
  const copy: unknown = structuredClone(example ?? {})
  const [root] = Array.isArray(copy) ? copy : [copy]
  for (const { path, value } of changes) {
    const inner = Array.isArray(copy) && path[0] === 0 ? path.slice(1) : path
    if (value === null) put(root, inner, undefined)
    else {
      put(root, inner, `@@${texts.length}@@`)
      texts.push(textOf(value, theirs))
    }
  }
  return JSON.stringify(copy).replace(/"@@(\d+)@@"/g, (_match, index) => texts[index] as string)
}

const textOf = (value: NonNullable<Change["value"]>, theirs: string) => {
  if ("json" in value) return value.json
  return "hostile" in value ? (HOSTILE[value.hostile]?.() ?? "null") : JSON.stringify(theirs)
}

/** Makes the objects on the way. `__proto__` becomes a member like any other. */
function put(root: unknown, path: readonly (string | number)[], value: unknown): void {
  let at = root as Record<string, unknown>
  for (const [index, name] of path.entries()) {
    const isLast = index === path.length - 1
    const next = typeof path[index + 1] === "number" ? [] : {}
    const has = Object.hasOwn(at, name) && typeof at[name] === "object" && at[name] !== null
    if (isLast || !has) {
      Object.defineProperty(at, name, {
        ...{ configurable: true, enumerable: true, writable: true },
        value: isLast ? value : next,
      })
    }
    at = at[name] as Record<string, unknown>
  }
}
