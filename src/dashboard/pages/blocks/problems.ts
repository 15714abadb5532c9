import { blocks as ofCampaigns } from "../../../worker/campaigns/blocks/contract.ts"
import { inWords } from "../../ui/form/issue-words.ts"
import { type Draft, type Kind, toBlocks, written } from "./draft/draft.ts"

export type Problems = ReadonlyMap<string, Record<string, string>>

const MISSING: Record<string, string> = {
  text: "Enter text",
  html: "Enter text",
  label: "Enter a label",
  url: "Enter a link",
}

const EMPTY: Partial<Record<Kind, string>> = {
  image: "Upload an image or enter its URL",
  html: "Paste HTML",
}

/** The issues that the API would report, each with its block. */
export function findProblems(
  all: readonly Draft[],
  schema = ofCampaigns,
): {
  byBlock: Problems
  general: string | null
} {
  const drafts = written(all)
  const parsed = schema.safeParse(toBlocks(drafts), { error: inWords })
  const byBlock = new Map<string, Record<string, string>>()
  let general: string | null = null
  for (const { path, message } of parsed.error?.issues ?? []) {
    const { draft, field } = find(drafts, path)
    if (!draft) {
      general = drafts.length === 0 ? "Write something or add a block first" : message
      continue
    }
    const isEmpty = (draft as unknown as Record<string, unknown>)[field] === ""
    const said = (isEmpty && (EMPTY[draft.kind] ?? MISSING[field])) || message
    byBlock.set(draft.key, { [field]: said, ...byBlock.get(draft.key) })
  }
  return { byBlock, general }
}

function find(drafts: readonly Draft[], path: readonly PropertyKey[]) {
  const [at, field = "", column, cell, inner = ""] = path
  const draft = drafts[Number(at)]
  if (draft?.kind === "columns" && field === "columns" && typeof cell === "number") {
    return { draft: draft.columns[Number(column)]?.[cell], field: String(inner) }
  }
  return { draft, field: String(field) }
}
