import { useMemo } from "react"
import { MailPicture } from "../../blocks/mail-picture.tsx"
import type { DraftInput } from "../data.ts"
import { type Samples, tryRender } from "../editor/try-render.ts"

/** Two contents as pictures, with the sample values. */
export function BeforeAfter({
  before,
  after,
  samples,
}: {
  /** Absent where nothing was published, or where it is too large to be read. */
  before: DraftInput | undefined
  after: DraftInput
  samples: Samples
}) {
  return (
    <div className="grid grid-cols-2 items-start gap-4">
      {before && <Side name="Now" content={before} samples={samples} />}
      <Side name="After" content={after} samples={samples} />
    </div>
  )
}

function Side({ name, content, samples }: { name: string; content: DraftInput; samples: Samples }) {
  const shown = useMemo(() => tryRender(content, samples).shown, [content, samples])
  return (
    <figure className="grid min-w-0 gap-1">
      <figcaption className="min-w-0">
        <span className="block text-xs text-muted">{name}</span>
        <span className="block truncate font-medium">{shown?.subject ?? content.subject}</span>
      </figcaption>
      {shown && (
        <div className="overflow-hidden rounded-lg border">
          <MailPicture html={shown.html} label={name} />
        </div>
      )}
    </figure>
  )
}
