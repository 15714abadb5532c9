import type { Contact, Domain } from "../../../client/types.ts"
import type { Block } from "../../../worker/campaigns/blocks/contract.ts"
import { isPreferencesUrl, MERGE_FIELD } from "../../../worker/campaigns/blocks/merge.ts"
import { GMAIL_CLIPS_BYTES } from "../../../worker/emails/check/sizes.ts"
import { counted, number } from "../../ui/numbers.ts"

export interface Finding {
  /** `stop`: it cannot be sent like this. */
  level: "stop" | "warning" | "ok"
  text: string
}

interface Checked {
  subject: string
  from: string
  /** All blocks that go out, those of the layouts too. */
  blocks: readonly Block[]
  mergeDefaults: Record<string, string>
  sample: readonly Contact[]
  eligible: number
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
          "The team has no postal address. Many laws require one in marketing mail: add it in Settings.",
        )
      : ok("The footer has your postal address and an unsubscribe link."),
    ...checkImages(checked),
  ]
}

const stop = (text: string): Finding => ({ level: "stop", text })
const warning = (text: string): Finding => ({ level: "warning", text })
const ok = (text: string): Finding => ({ level: "ok", text })

const checkAudience = ({ eligible }: Checked): Finding[] => [
  eligible === 0
    ? stop("Nobody would get it: the book has no contact who is subscribed and not suppressed.")
    : ok(`${counted(eligible, "contact")} would get it.`),
]

function checkDomain({ domain, from }: Checked): Finding {
  if (!domain) return stop(`No domain of the team fits the sender ${from}.`)
  return domain.status === "verified"
    ? ok(`${domain.name} is verified.`)
    : stop(`${domain.name} is not verified.`)
}

function checkSize({ htmlBytes }: Checked): Finding {
  const kilobytes = Math.ceil(htmlBytes / 1024)
  return htmlBytes > GMAIL_CLIPS_BYTES
    ? warning(
        `The message has ${number(kilobytes)} KB. Gmail clips it after ${GMAIL_CLIPS_BYTES / 1024} KB, and hides the unsubscribe link.`,
      )
    : ok(`The message has ${number(kilobytes)} KB, so Gmail shows all of it.`)
}

function checkFields({ subject, blocks, mergeDefaults, sample }: Checked): Finding[] {
  const texts = [subject, ...blocks.flatMap(textsOf)]
  const written = new Set(texts.flatMap((text) => [...text.matchAll(WRITTEN)].map(fieldOf)))
  const unknown = [...written].filter(
    (field) =>
      !MERGE_FIELD.test(field) &&
      (!isPreferencesUrl(`{{${field}}}`) || subject.includes(`{{${field}}}`)),
  )
  const broken = texts.filter((text) => /\{\{|\}\}/.test(text.replace(WRITTEN, "")))
  const empty = [...written].filter(
    (field) =>
      MERGE_FIELD.test(field) &&
      field !== "email" &&
      !mergeDefaults[field] &&
      sample.some((contact) => !hasValue(contact, field)),
  )
  const findings = [
    ...unknown.map((field) =>
      stop(`{{ ${field} }} is no merge field, and would be sent as it is written.`),
    ),
    ...broken.map((text) => stop(`A merge field is broken in “${text.slice(0, 80)}”.`)),
    ...empty.map((field) =>
      warning(
        sample.some((contact) => hasValue(contact, field))
          ? `Some contacts have no ${field}, and it has no default value: they get a gap.`
          : `None of the newest contacts has ${field}, and it has no default value.`,
      ),
    ),
  ]
  return findings.length > 0 ? findings : [ok("Every merge field has a value or a default.")]
}

const WRITTEN = /\{\{([^{}]*)\}\}/g
const fieldOf = ([, inner = ""]: RegExpMatchArray) => inner.trim()

function hasValue(contact: Contact, field: string): boolean {
  if (field === "firstName" || field === "lastName") return Boolean(contact[field])
  const value = contact.properties[field.slice("properties.".length)]
  return value !== undefined && value !== ""
}

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case "heading":
      return [block.text]
    case "text":
      return [block.html]
    case "button":
      return [block.label, block.url]
    case "image":
      return [block.alt, block.url, block.href ?? ""]
    case "columns":
      return block.columns.flat().flatMap(textsOf)
    default:
      return []
  }
}

function checkImages({ blocks }: Checked): Finding[] {
  const flat = blocks.flatMap((block) => (block.kind === "columns" ? block.columns.flat() : block))
  const silent = flat.filter((block) => block.kind === "image" && block.alt === "" && block.href)
  return silent.length > 0
    ? [warning(`${counted(silent.length, "linked image")} without alternative text.`)]
    : []
}
