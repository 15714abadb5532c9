import type * as z from "zod"

/** What people enter into a field, by its name in the contract. */
const NOUNS: Record<string, string> = {
  code: "the claim code",
  currentPassword: "your current password",
  email: "an email address",
  from: "a sender",
  label: "a label",
  name: "a name",
  newPassword: "a new password",
  password: "a password",
  slug: "a slug",
  subject: "a subject",
  teamName: "a team name",
  text: "some text",
  to: "a recipient",
  url: "a URL",
}

const CHOICES: Record<string, string> = { events: "an event" }

export const enter = (field: string) => `Enter ${NOUNS[field] ?? "a value"}`

/** The contract says what a value must be; a form says what to do. */
export const asTask = (message: string) => message.replace(/^Must be (?=an? |')/, "Enter ")

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** What to do about an issue of a schema. Messages of the contract's own come first. */
export function inWords(issue: Issue): string {
  const field = String(issue.path?.findLast((part) => typeof part === "string") ?? "")
  if (issue.input === "" || issue.input === undefined || issue.input === null) return enter(field)
  switch (issue.code) {
    case "too_small":
      return isList(issue) ? tooFew(field, issue.minimum) : atLeast(issue)
    case "too_big":
      return isList(issue) ? `Use at most ${issue.maximum}` : atMost(issue)
    case "invalid_type":
      return issue.expected === "number" ? "Enter a number" : enter(field)
    case "invalid_format":
      return FORMATS[issue.format] ?? "Check this value"
    default:
      return "Check this value"
  }
}

interface Size {
  origin: string
  minimum?: number | bigint
  maximum?: number | bigint
}

const isList = ({ origin }: Size) => origin === "array" || origin === "set"
const tooFew = (field: string, minimum: number | bigint) =>
  Number(minimum) === 1
    ? `Choose at least one${CHOICES[field] ? ` ${CHOICES[field]?.replace(/^an? /, "")}` : ""}`
    : `Choose at least ${minimum}`
const unit = ({ origin }: Size) => (origin === "string" ? " characters" : "")
const atLeast = (size: Size) =>
  size.origin === "string" && Number(size.minimum) === 1
    ? "Fill in this field"
    : `${size.origin === "string" ? "Use" : "Enter"} at least ${size.minimum}${unit(size)}`
const atMost = (size: Size) =>
  `${size.origin === "string" ? "Use" : "Enter"} at most ${size.maximum}${unit(size)}`

const FORMATS: Record<string, string> = {
  email: "Enter an email address, such as ada@example.com",
  url: "Enter a URL that starts with https://",
}
