import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { exactTime } from "../../../ui/time/times.ts"
import type { Entry } from "./audit-columns.tsx"
import { actionWords, fieldWords } from "./audit-words.ts"

type Change = Entry["changes"][number]

/** The fields of an entry: before and after. */
export default function Changes({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const { action, at, object, changes } = entry
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={actionWords(action)}
      description={[object.label, exactTime(at)].filter(Boolean).join(" · ")}
    >
      <dl className="grid gap-3">
        {changes.map((change) => (
          <div key={change.field} className="grid gap-1">
            <dt className="text-muted">{fieldWords(change.field)}</dt>
            <dd className="grid gap-1">
              <Values {...change} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

function Values({ before, after }: Change) {
  if (before === null && after === null) return <span>Changed. The value is not stored here.</span>
  return (
    <>
      {before !== null && <Value sign="−" label="Before" text={before} />}
      {after !== null && <Value sign="+" label="After" text={after} />}
    </>
  )
}

const Value = ({ sign, label, text }: { sign: string; label: string; text: string }) => (
  <span className="flex gap-2 rounded-md bg-sunken px-2 py-1 font-mono text-xs">
    <span aria-hidden className="text-muted">
      {sign}
    </span>
    <span className="sr-only">{label}: </span>
    <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">{text}</span>
  </span>
)
