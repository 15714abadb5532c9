import { Suspense } from "react"
import type { Design } from "../../../../worker/templates/design-contract.ts"
import { lazy } from "../../../app/lazy.ts"
import { Skeleton } from "../../../ui/waiting.tsx"
import { outlineOf } from "../editor/outline.ts"

const DiffView = lazy(() => import("./diff-view.tsx"))

const PARTS = ["name", "subject", "design", "bodyHtml", "bodyText", "variablesSchema"] as const
type Part = (typeof PARTS)[number]

/** Blocks say what differs; the bodies follow from them. */
const partsOf = (before: Content, after: Content) =>
  before.design && after.design
    ? PARTS.filter((part) => part !== "bodyHtml" && part !== "bodyText")
    : PARTS

export const PART_NAMES: Record<Part, string> = {
  name: "Name",
  subject: "Subject",
  design: "Blocks",
  bodyHtml: "HTML",
  bodyText: "Text",
  variablesSchema: "Variables",
}

type Content = Record<Exclude<Part, "design">, unknown> & { design?: unknown }

const textOf = (content: Content, part: Part) => {
  const value = content[part] ?? null
  if (part === "design" && value !== null) return outlineOf(value as Design)
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value, null, 2)
}

/** The parts of a template in which two contents differ. */
export const differences = (before: Content, after: Content): Part[] =>
  partsOf(before, after).filter((part) => textOf(before, part) !== textOf(after, part))

/** Red lines are only in `before`, green ones only in `after`. */
export function Differences({
  before,
  after,
}: {
  /** Nothing to compare with if it is too large to be read. */
  before: Content | undefined
  after: Content
}) {
  if (!before) return null
  const parts = differences(before, after)
  if (parts.length === 0) return <p>No differences.</p>
  return parts.map((part) => (
    <section key={part} className="grid gap-1">
      <h3 className="font-medium">{PART_NAMES[part]}</h3>
      <Suspense fallback={<Skeleton lines={2} />}>
        <DiffView
          label={PART_NAMES[part]}
          before={textOf(before, part)}
          after={textOf(after, part)}
        />
      </Suspense>
    </section>
  ))
}
