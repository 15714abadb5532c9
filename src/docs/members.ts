import { html } from "hono/html"
import { type Html, inline } from "./text.ts"
import { branches, isNullable, limitsInWords, refName, type Schema, typeInWords } from "./words.ts"

export interface Member {
  name: string
  schema: Schema
  /** Undefined if the object always has all members. */
  isRequired?: boolean
  description?: string | undefined
}

/** The members of an object in a request, or in a reply. */
export const membersOf = ({ properties = {}, required = [] }: Schema, isReply = false): Member[] =>
  Object.entries(properties)
    .filter(([, schema]) => !schema.not)
    .map(([name, schema]) => ({
      name,
      schema,
      ...((!isReply || !required.includes(name)) && { isRequired: required.includes(name) }),
    }))

export const memberList = (members: readonly Member[], isReply = false): Html =>
  members.length === 0 ? "" : html`<dl>${members.map((member) => item(member, isReply))}</dl>`

function item({ name, schema, isRequired, description }: Member, isReply: boolean): Html {
  const notes = [...limitsInWords(schema), isNullable(schema) ? "nullable" : ""].filter(Boolean)
  const text = description ?? schema.description
  return html`<div><dt><code>${name}</code> <span class="type">${typeInWords(schema)}</span>${
    isRequired === undefined
      ? ""
      : isRequired
        ? html` <span class="required">required</span>`
        : html` <span class="note">optional</span>`
  }${notes.map((note) => html` <span class="note">${inline(note)}</span>`)}</dt>
<dd>${text ? html`<p>${inline(text)}</p>` : ""}${nested(schema, isReply)}</dd></div>`
}

/** The members of unnamed objects inside a schema. */
function nested(schema: Schema, isReply: boolean): Html {
  return branches(schema).map((one) => {
    if (refName(one)) return ""
    if (one.items) return nested(one.items, isReply)
    return memberList(membersOf(one, isReply), isReply)
  })
}

/** A whole schema: the members of an object, the kinds of a union, or the type. */
export function schemaBlock(schema: Schema, isReply: boolean): Html {
  if (schema.oneOf) return schema.oneOf.map((one) => variant(one, isReply))
  if (schema.properties) return memberList(membersOf(schema, isReply), isReply)
  const limits = limitsInWords(schema)
  return html`<p>A ${typeInWords(schema)}${limits.map((limit) => html`, ${limit}`)}.</p>${nested(schema, isReply)}`
}

/** One kind of a discriminated union. */
function variant(schema: Schema, isReply: boolean): Html {
  const members = membersOf(schema, isReply)
  const [kind, ...rest] = members
  return html`<div class="variant"><h4><code>${kind?.name}: ${JSON.stringify(kind?.schema.const)}</code></h4>
${memberList(rest, isReply)}</div>`
}
