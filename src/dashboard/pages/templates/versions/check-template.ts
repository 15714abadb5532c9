import { textsOf } from "../../../../worker/campaigns/blocks/texts.ts"
import type { TemplateContent } from "../../../../worker/templates/contract.ts"
import type { Design } from "../../../../worker/templates/design-contract.ts"
import {
  type StricterVariable,
  stricterVariables,
} from "../../../../worker/templates/stricter-variables.ts"
import {
  checkImages,
  checkLeft,
  checkSize,
  type Finding,
  ok,
  stop,
  warning,
} from "../../campaigns/draft/check-campaign.ts"
import type { Outcome } from "../editor/try-render.ts"
import { findIn } from "./findings.ts"
import { findForMail } from "./mail-findings.ts"

export type Content = TemplateContent & { design?: Design | null | undefined }

interface Checked {
  /** What calls with a key find now. */
  published: Content | undefined
  draft: Content
  outcome: Outcome
}

/** Findings to read before a template is published. Only those of level `stop` prevent it. */
export function checkTemplate({ published, draft, outcome }: Checked): Finding[] {
  const { subject, bodyHtml, bodyText, design } = draft
  const texts = [subject, bodyHtml, bodyText ?? ""]
  const broken = texts
    .flatMap((text) => findIn(text, { ...outcome, missing: [], invalid: [] }))
    .map(({ level, message }) => (level === "error" ? stop(message) : warning(message)))
  const found = [
    ...(outcome.error === null ? [] : [stop(outcome.error)]),
    ...broken,
    ...checkVariables(published, draft),
    checkSize({ htmlBytes: new TextEncoder().encode(bodyHtml).length }),
    ...(design
      ? [...checkImages(design), ...checkLeft([subject, ...design.blocks.flatMap(textsOf)])]
      : findForMail(bodyHtml).map(({ message }) => warning(message))),
  ]
  return found.filter(({ text }, at) => found.findIndex((one) => one.text === text) === at)
}

const checkVariables = (published: Content | undefined, draft: Content): Finding[] => {
  if (!published) return []
  const stricter = stricterVariables(published, draft)
  return stricter.length === 0
    ? [ok("Emails that your code sends today will still be accepted.")]
    : stricter.map((variable) => warning(aboutStricter(variable, draft)))
}

function aboutStricter({ name, because }: StricterVariable, { variablesSchema }: Content) {
  if (because === "required")
    return `{{ ${name} }} becomes required. Emails without it are refused.`
  const type = variablesSchema.variables.find((one) => one.name === name)?.type
  return `{{ ${name} }} must be a ${type}. Emails with another value are refused.`
}
