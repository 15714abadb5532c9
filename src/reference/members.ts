import type { Block, MemberLine } from "./blocks.ts"
import { branches, isNullable, limitsInWords, refName, type Schema, typeInWords } from "./words.ts"

export interface Member {
  name: string
  schema: Schema
  /** Undefined if the object always has all members. */
  isRequired?: boolean
  description?: string | undefined
}

export const membersOf = ({ properties = {}, required = [] }: Schema, isReply = false): Member[] =>
  Object.entries(properties)
    .filter(([, schema]) => !schema.not)
    .map(([name, schema]) => ({
      name,
      schema,
      ...((!isReply || !required.includes(name)) && { isRequired: required.includes(name) }),
    }))

export const memberList = (members: readonly Member[], isReply = false): Block[] =>
  members.length === 0
    ? []
    : [{ kind: "members", members: members.map((member) => line(member, isReply)) }]

function line({ name, schema, isRequired, description }: Member, isReply: boolean): MemberLine {
  return {
    name,
    type: typeInWords(schema),
    ...(isRequired !== undefined && { isRequired }),
    notes: [...limitsInWords(schema), ...(isNullable(schema) ? ["nullable"] : [])],
    text: description ?? schema.description,
    inside: nested(schema, isReply),
  }
}

/** The members of unnamed objects inside a schema. */
const nested = (schema: Schema, isReply: boolean): Block[] =>
  branches(schema).flatMap((one) => {
    if (refName(one)) return []
    if (one.items) return nested(one.items, isReply)
    return memberList(membersOf(one, isReply), isReply)
  })

/** A whole schema: the members of an object, the kinds of a union, or the type. */
export function schemaBlocks(schema: Schema, isReply: boolean): Block[] {
  if (schema.oneOf) return schema.oneOf.map((one) => variant(one, isReply))
  if (schema.properties) return memberList(membersOf(schema, isReply), isReply)
  const words = [typeInWords(schema), ...limitsInWords(schema)].join(", ")
  return [{ kind: "prose", text: `A ${words}.` }, ...nested(schema, isReply)]
}

/** One kind of a discriminated union. */
function variant(schema: Schema, isReply: boolean): Block {
  const members = membersOf(schema, isReply)
  const kind = members.find((one) => one.schema.const !== undefined)
  const rest = members.filter((one) => one !== kind)
  const title = `\`${kind?.name}: ${JSON.stringify(kind?.schema.const)}\``
  return { kind: "variant", title, body: memberList(rest, isReply) }
}
