import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { Card } from "../../../ui/page.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { withChanges } from "../../blocks/draft/draft.ts"
import type { Editing, Issue } from "../use-sequence.ts"
import { focusStep } from "./builder.ts"
import { KINDS } from "./kinds.ts"
import { StepForm } from "./step-form.tsx"
import { update } from "./tree.ts"

interface Props {
  step: Step
  bookId: string
  editing: Editing
  issues: readonly Issue[]
  onEditMail(): void
  onClose(): void
}

function Fields({ step, bookId, editing, issues, onEditMail }: Props) {
  const { key } = step
  return (
    <div className="grid gap-4">
      <StepForm
        // Fields that keep what is typed begin again after an undo.
        key={`${key} ${editing.restores}`}
        {...{ step, bookId, issues, onEditMail }}
        set={(changes, field) =>
          editing.change(
            (now) => ({
              ...now,
              steps: update(now.steps, key, (one) => withChanges(one, changes) as Step),
            }),
            field && `${key} ${field}`,
          )
        }
      />
      <p className="text-xs text-muted">
        Key <Mono text={key} copy />
      </p>
    </div>
  )
}

/** The form of the selected step, beside the cards. Esc goes back to its card. */
export function StepPanel(props: Props) {
  const { step, onClose } = props
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc of the fields inside
    <div
      data-panel
      className="max-xl:hidden"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) focusStep(step.key)
      }}
    >
      <Card>
        <div className="mb-3 flex items-center justify-between gap-2">
          <h2 className="font-semibold">{KINDS[step.kind].label}</h2>
          <Button
            small
            kind="quiet"
            onClick={() => {
              onClose()
              focusStep(step.key)
            }}
          >
            Done
          </Button>
        </div>
        <Fields {...props} />
      </Card>
    </div>
  )
}

/** The same from below, on screens without room beside the cards. */
export const StepSheet = (props: Props) => (
  <Dialog sheet open onOpenChange={props.onClose} title={KINDS[props.step.kind].label}>
    <Fields {...props} />
  </Dialog>
)

const wide = matchMedia("(width >= 80rem)")
export const isWide = () => wide.matches

/** The first field of the panel, once it is drawn. */
export const focusPanel = () =>
  setTimeout(() => {
    const panel = document.querySelector<HTMLElement>("[data-panel]")
    const field = panel?.querySelector<HTMLElement>("input, [role=combobox]")
    ;(field ?? panel?.querySelector<HTMLElement>("button"))?.focus()
  })
