import type { Contact, Domain } from "../../../../client/types.ts"
import type { Block } from "../../../../worker/campaigns/blocks/contract.ts"
import { MERGE_FIELD, readPlaceholders } from "../../../../worker/campaigns/blocks/merge.ts"
import { textsOf } from "../../../../worker/campaigns/blocks/texts.ts"
import { GMAIL_CLIPS_BYTES } from "../../../../worker/emails/check/sizes.ts"
import { counted, number } from "../../../ui/numbers.ts"

export interface Finding {
  /** `stop`: it cannot be sent like this. */
  level: "stop" | "warning" | "ok"
  text: string
}

interface Checked {
  subject: string
  preheader?: string | null
  from: string
  /** All blocks that go out, those of the layouts too. */
  blocks: readonly Block[]
  mergeDefaults: Record<string, string>
  sample: readonly Contact[]
  eligible: number
  /** The campaign goes to a segment of the book. */
  toSegment?: boolean
  htmlBytes: number
  postalAddress: string | null
  domain: Domain | undefined
  /** The issues of the schema, in words. */
  incomplete: readonly string[]
}

/** Findings to read before a campaign is sent. Only those of level `stop` prevent sending. */
export function checkCampaign(checked: Checked): Finding[] {
  return [
    ...checked.incomplete.map((text) => stop(text)),
    ...checkAudience(checked),
    checkDomain(checked),
    ...checkFields(checked),
    checkSize(checked),
    checked.postalAddress === null
      ? warning(
          "Your team has no postal address. Many countries require one in marketing email: add it in Settings.",
        )
      : ok("The footer includes your postal address and an unsubscribe link."),
    ...checkImages(checked),
    ...checkPlaceholders(checked),
  ]
}

export const stop = (text: string): Finding => ({ level: "stop", text })
export const warning = (text: string): Finding => ({ level: "warning", text })
export const ok = (text: string): Finding => ({ level: "ok", text })

const checkAudience = ({ eligible, toSegment }: Checked): Finding[] => [
  eligible === 0
    ? stop(
        `No recipients: this ${toSegment ? "segment" : "book"} has no subscribed contacts that can receive email.`,
      )
    : ok(`${counted(eligible, "contact")} will receive it.`),
]

function checkDomain({ domain, from }: Checked): Finding {
  if (!domain) return stop(`${from} is not on one of your domains.`)
  return domain.status === "verified"
    ? ok(`${domain.name} is verified.`)
    : stop(`${domain.name} is not verified.`)
}

export function checkSize({ htmlBytes }: Pick<Checked, "htmlBytes">): Finding {
  const kilobytes = Math.ceil(htmlBytes / 1024)
  return htmlBytes > GMAIL_CLIPS_BYTES
    ? warning(
        `The email is ${number(kilobytes)} KB. Gmail cuts off emails over ${GMAIL_CLIPS_BYTES / 1024} KB and hides the end.`,
      )
    : ok(`The email is ${number(kilobytes)} KB. Gmail shows all of it.`)
}

function checkFields({ subject, preheader, blocks, mergeDefaults, sample }: Checked): Finding[] {
  const texts = [subject, preheader ?? "", ...blocks.flatMap(textsOf)]
  const read = texts.map((text, index) => readPlaceholders(text, { inSubject: index === 0 }))
  const written = new Set(read.flatMap(({ fields }) => fields))
  const unknown = new Set(read.flatMap((one) => one.unknown))
  const broken = texts.filter((_, index) => read[index]?.isBroken)
  const empty = [...written].filter(
    (field) =>
      MERGE_FIELD.test(field) &&
      field !== "email" &&
      !mergeDefaults[field] &&
      sample.some((contact) => !hasValue(contact, field)),
  )
  const findings = [
    ...[...unknown].map((field) =>
      stop(`{{ ${field} }} is not a merge field and would be sent as written.`),
    ),
    ...broken.map((text) => stop(`Fix the broken merge field in “${text.slice(0, 80)}”.`)),
    ...empty.map((field) =>
      warning(
        sample.some((contact) => hasValue(contact, field))
          ? `Some contacts have no ${field}. Add a default value to avoid a gap.`
          : `None of your newest contacts has ${field}. Add a default value.`,
      ),
    ),
  ]
  return findings.length > 0 ? findings : [ok("All merge fields have a value or a default.")]
}

function hasValue(contact: Contact, field: string): boolean {
  if (field === "firstName" || field === "lastName") return Boolean(contact[field])
  const value = contact.properties[field.slice("properties.".length)]
  return value !== undefined && value !== ""
}

export function checkImages({ blocks }: Pick<Checked, "blocks">): Finding[] {
  const flat = blocks.flatMap((block) => (block.kind === "columns" ? block.columns.flat() : block))
  const silent = flat.filter((block) => block.kind === "image" && block.alt === "")
  return silent.length > 0
    ? [warning(`Add alternative text to ${counted(silent.length, "image")}.`)]
    : []
}

const PLACEHOLDER = /\[[^[\]{}<>]{2,60}\]/g
const EXAMPLE_LINK = /https?:\/\/example\.com\b/

function checkPlaceholders({ subject, blocks }: Checked): Finding[] {
  return checkLeft([subject, ...blocks.flatMap(textsOf)])
}

/** What starters leave for the author to replace. */
export function checkLeft(texts: readonly string[]): Finding[] {
  const written = [...new Set(texts.flatMap((text) => text.match(PLACEHOLDER) ?? []))]
  return [
    ...written.map((text) => warning(`Replace the placeholder ${text}.`)),
    ...(texts.some((text) => EXAMPLE_LINK.test(text))
      ? [warning("Replace the links to example.com.")]
      : []),
  ]
}
