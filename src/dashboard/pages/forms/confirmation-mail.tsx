import { useQuery } from "@tanstack/react-query"
import type { UseFormReturn } from "react-hook-form"
import { confirmationMail } from "../../../worker/forms/confirmation-contract.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { teamQuery } from "../../api/queries.ts"
import { Switch, TextField } from "../../ui/form/field.tsx"
import { Card } from "../../ui/page.tsx"
import { BlockCanvas } from "../blocks/canvas/canvas.tsx"
import { brandTheme } from "../blocks/look/brand.ts"
import { STARTER, type useConfirmation } from "./confirmation.ts"
import type { Values } from "./values.ts"

interface Props extends ReturnType<typeof useConfirmation> {
  form: UseFormReturn<Values>
}

const FIELDS = ["email", "confirmUrl"]
const { blocks } = confirmationMail.shape

/** The mail that asks people to confirm: ours, or one of the team's on the canvas. */
export default function ConfirmationMail({ form, history }: Props) {
  const { data: team } = useQuery(teamQuery)
  const { present: mail, change } = history
  const { errors } = form.formState
  const brand = team?.brand as Brand | null | undefined
  return (
    <div className="grid gap-6">
      <Card className="grid max-w-prose gap-4 p-4">
        <Switch
          label="Ask people to confirm"
          hint="If off, people are subscribed immediately. Addresses that opted out stay out."
          checked={form.watch("confirm")}
          onChange={(on) => form.setValue("confirm", on, { shouldDirty: true })}
        />
        <Switch
          label="Use your own email"
          hint="If off, people get a short email in your brand."
          checked={mail !== null}
          onChange={(on) => change(() => (on ? STARTER : null))}
        />
      </Card>
      {mail && (
        <>
          <TextField
            label="Subject"
            error={errors.confirmation?.subject?.message}
            value={mail.subject}
            onChange={({ target }) =>
              change((now) => now && { ...now, subject: target.value }, "subject")
            }
          />
          <p className="text-muted">
            Link a button to <code>{"{{ confirmUrl }}"}</code>. Without one, a button is added.
          </p>
          <BlockCanvas
            blocks={mail.drafts}
            schema={blocks}
            theme={brand ? brandTheme(brand, {}) : null}
            history={history}
            mergeFields={FIELDS}
            onChange={(next, step) =>
              change((now) => now && { ...now, drafts: next(now.drafts) }, step)
            }
          />
          {errors.confirmation?.blocks && (
            <p role="alert" className="text-failed">
              Check the marked blocks.
            </p>
          )}
        </>
      )}
    </div>
  )
}
