import { EdgepostError } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { createDraft, type DraftInput } from "./data.ts"

const MAX_NAME_CHARACTERS = 200
const MAX_SLUG_CHARACTERS = 64
const MAX_COPIES = 50

/** A draft with the same content. Its slug is the first copy's that is free. */
export async function duplicate(content: DraftInput, slug: string) {
  const name = `Copy of ${content.name}`.slice(0, MAX_NAME_CHARACTERS)
  for (let number = 1; ; number++) {
    const end = number === 1 ? "-copy" : `-copy-${number}`
    const free = `${slug.slice(0, MAX_SLUG_CHARACTERS - end.length).replace(/-+$/, "")}${end}`
    try {
      const draft = await createDraft({ ...content, name, slug: free })
      queries.invalidateQueries({ queryKey: ["templates"], refetchType: "none" })
      return draft
    } catch (error) {
      if (!isTaken(error) || number === MAX_COPIES) throw error
    }
  }
}

const isTaken = (error: unknown) =>
  error instanceof EdgepostError &&
  Array.isArray(error.details) &&
  error.details.some(({ path }) => path?.[0] === "slug")
