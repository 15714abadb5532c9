import { normalizeAddress } from "../../lib/address.ts"
import { CONTROL_CHARACTERS, NEVER_TEXT } from "../../lib/text.ts"
import {
  MAX_NAME_CHARACTERS,
  MAX_PROPERTIES_BYTES,
  MAX_PROPERTY_CHARACTERS,
  type Properties,
  type Submitted,
  TOO_LARGE_PROPERTIES,
} from "../contacts/shapes.ts"
import type { Issue } from "../platform/http/errors.ts"
import { jsonBytes } from "../platform/http/shapes.ts"
import type { FormField } from "./contract.ts"
import { ADDRESS_FIELD } from "./field-names.ts"

/** What a browser or a program has sent, by the names of fields. */
export type Posted = Record<string, unknown>

type Read = { ok: true; submitted: Submitted } | { ok: false; issues: Issue[] }

const MAX_EMAIL_CHARACTERS = 320

export const addressIn = (posted: Posted): string | null => {
  const value = posted[ADDRESS_FIELD]
  return typeof value === "string" && value.length <= MAX_EMAIL_CHARACTERS
    ? normalizeAddress(value.trim())
    : null
}

/** Checks the fields of the form. What else was sent is dropped. */
export function readSubmission(fields: readonly FormField[], posted: Posted): Read {
  const issues: Issue[] = []
  const values: Properties = {}
  for (const field of fields) {
    const read = readField(field, posted[field.name])
    if (read.ok === false) issues.push({ path: [field.name], message: read.message })
    else if (read.value !== undefined) values[field.name] = read.value
  }
  const { email: _, firstName, lastName, ...properties } = values
  if (jsonBytes(properties) > MAX_PROPERTIES_BYTES) {
    issues.push({ path: [], message: TOO_LARGE_PROPERTIES })
  }
  if (issues.length > 0) return { ok: false, issues }
  return {
    ok: true,
    submitted: {
      ...(firstName !== undefined && { firstName: String(firstName) }),
      ...(lastName !== undefined && { lastName: String(lastName) }),
      ...(Object.keys(properties).length > 0 && { properties }),
    },
  }
}

type Value = { ok: true; value: string | boolean | undefined } | { ok: false; message: string }

const refused = (message: string): Value => ({ ok: false, message })

function readField(field: FormField, posted: unknown): Value {
  if (field.type === "checkbox") return readCheckbox(field, posted)
  const text = posted === undefined || posted === null ? "" : posted
  if (typeof text !== "string") return refused("Must be text")
  const value = text.trim()
  if (value === "") return field.required ? refused("Required") : { ok: true, value: undefined }
  if (field.type === "email") {
    const address = value.length <= MAX_EMAIL_CHARACTERS ? normalizeAddress(value) : null
    return address === null ? refused("Must be an email address") : { ok: true, value: address }
  }
  if (field.type === "select") {
    const option = field.options?.find((one) => inOption(one) === inOption(value))
    return option === undefined
      ? refused("Must be one of the options")
      : { ok: true, value: option }
  }
  const isName = field.name === "firstName" || field.name === "lastName"
  const max = isName ? MAX_NAME_CHARACTERS : MAX_PROPERTY_CHARACTERS
  if (value.length > max) return refused(`At most ${max} characters`)
  const isForbidden = isName ? CONTROL_CHARACTERS : NEVER_TEXT
  if (isForbidden.test(value) || !value.isWellFormed()) {
    return refused("May not contain control characters")
  }
  return { ok: true, value }
}

/** A browser posts the text of an option with single blanks. */
const inOption = (text: string) => text.replace(/[\t\n\f\r ]+/g, " ")

const NO = ["", "false", "0", "no", "off"]

function readCheckbox({ required }: FormField, posted: unknown): Value {
  const isOn =
    posted === true || (typeof posted === "string" && !NO.includes(posted.trim().toLowerCase()))
  return required && !isOn ? refused("Required") : { ok: true, value: isOn }
}
