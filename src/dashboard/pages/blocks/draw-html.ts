import { fill, mergeValue, toTemplate } from "../../../worker/campaigns/blocks/merge.ts"
import { renderHtml } from "../../../worker/campaigns/blocks/render-html.ts"

const readField = mergeValue(
  { email: "ada@example.com", firstName: "Ada", lastName: null, properties: {} },
  {},
)

/** The html that one reader gets, without the text part, whose code is large. Links of the footer lead nowhere. */
export const drawHtml = (
  document: Omit<Parameters<typeof renderHtml>[0], "subject" | "preheader">,
) =>
  fill(
    toTemplate(renderHtml({ ...document, subject: "", preheader: "" })),
    (field) => readField(field) || "#",
    Number.POSITIVE_INFINITY,
  )
