import { escapeHtml } from "../../../lib/html.ts"
import type { Block, Theme } from "../../campaigns/blocks/contract.ts"
import { fill, mergeValue, toTemplate } from "../../campaigns/blocks/merge.ts"
import { preheaderOf } from "../../campaigns/blocks/preheader.ts"
import { renderHtml } from "../../campaigns/blocks/render-html.ts"
import { renderText } from "../../campaigns/blocks/render-text.ts"
import { textsOf } from "../../campaigns/blocks/texts.ts"
import { MAX_PART_CHARACTERS, renderSubject } from "../../campaigns/body.ts"
import { refuseUnfilled } from "../../campaigns/run/start.ts"
import { CONFIRM_URL, type ConfirmationMail } from "../../forms/confirmation-contract.ts"
import { invalid } from "../../platform/http/errors.ts"
import type { Brand } from "../../teams/brand-contract.ts"

interface Composition {
  email: string
  url: string
  /** What the form shows. */
  wording: string | null
  /** The form's own mail. */
  mail: ConfirmationMail | null
  name: string
  postalAddress: string | null
  brand: Brand | null
}

/**
 * The mail that asks. It shows nothing that was written in the form but the address: anybody can write
 * there, and this mail goes to somebody who may know nothing of it.
 */
export function composeConfirmation({ email, url, brand, ...about }: Composition) {
  const { subject, blocks } = about.mail ?? defaultMail(about.wording)
  const nobody = nobodyAt(email)
  const all = withUrl([...withButton(blocks), ...footer(about)], url)
  const value = mergeValue(nobody, {})
  const filled = (marked: string) => fill(toTemplate(marked), value, MAX_PART_CHARACTERS)
  const rendered = { subject, preheader: preheaderOf(all), blocks: all, theme: themeOf(brand) }
  return {
    subject: subjectFor(email, subject) || DEFAULT_SUBJECT,
    html: filled(renderHtml({ ...rendered, sender: null })),
    text: filled(renderText(all, null)),
  }
}

const nobodyAt = (email: string) => ({ email, firstName: null, lastName: null, properties: {} })

const subjectFor = (email: string, subject: string) =>
  renderSubject(subject, nobodyAt(email), {}).trim()

/** Refuses what would be sent as it is written, and a subject of empty merge fields alone. */
export function refuseUnfit({ subject, blocks }: ConfirmationMail): void {
  const filled = withUrl(blocks, "https://example.com")
  refuseUnfilled({ subject: [subject], blocks: filled.flatMap(textsOf) }, ["confirmation"])
  if (subjectFor("ada@example.com", subject) === "") {
    throw invalid(["confirmation", "subject"], "Must have text: names are empty in this mail")
  }
}

const DEFAULT_SUBJECT = "Please confirm your subscription"

const BUTTON: Block = { kind: "button", label: "Confirm subscription", url: "{{ confirmUrl }}" }

const defaultMail = (wording: string | null): ConfirmationMail => ({
  subject: DEFAULT_SUBJECT,
  blocks: [
    { kind: "heading", level: 1, text: "Confirm your subscription" },
    ...(wording ? [paragraph(wording)] : []),
    {
      kind: "text",
      html: "Somebody, probably you, asked for this mail to go to {{ email }}. If it was you, confirm it here.",
    },
    BUTTON,
    { kind: "text", html: "If it was not you, ignore this mail. You will get no other." },
  ],
})

const paragraph = (text: string): Block => ({
  kind: "text",
  html: escapeHtml(text).replaceAll("\n", "<br>"),
})

const withButton = (blocks: readonly Block[]): readonly Block[] =>
  new RegExp(CONFIRM_URL).test(JSON.stringify(blocks)) ? blocks : [...blocks, BUTTON]

const footer = ({ name, postalAddress }: Pick<Composition, "name" | "postalAddress">): Block[] => [
  { kind: "divider" },
  paragraph([name, ...(postalAddress ? [postalAddress] : [])].join("\n")),
]

/** The address of the link is safe in JSON, HTML and URLs. */
const withUrl = (blocks: readonly Block[], url: string): Block[] =>
  JSON.parse(JSON.stringify(blocks).replaceAll(new RegExp(CONFIRM_URL, "g"), () => url))

function themeOf(brand: Brand | null): Theme | null {
  if (!brand) return null
  const { logoUrl: _, footerText: __, ...theme } = brand
  return theme
}
