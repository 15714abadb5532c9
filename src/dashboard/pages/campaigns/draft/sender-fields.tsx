import type { Domain } from "../../../../client/types.ts"
import { TextField } from "../../../ui/form/field.tsx"

interface Props {
  content: { from: string; replyTo: string | null }
  update(changes: { from?: string; replyTo?: string | null }): void
  errors: { from?: string | undefined; replyTo?: string | undefined }
  domain: Domain | undefined
}

/** The sender of a campaign or of a sequence. */
export const SenderFields = ({ content, update, errors, domain }: Props) => (
  <>
    <TextField
      label="From"
      error={
        errors.from ??
        (domain?.status === "verified" ? undefined : "Use an address on a verified domain")
      }
      value={content.from}
      onChange={({ target }) => update({ from: target.value })}
    />
    <TextField
      label="Reply to"
      optional
      error={errors.replyTo}
      value={content.replyTo ?? ""}
      onChange={({ target }) => update({ replyTo: target.value || null })}
    />
  </>
)
