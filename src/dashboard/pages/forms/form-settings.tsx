import { useQuery } from "@tanstack/react-query"
import type { UseFormReturn } from "react-hook-form"
import { Button } from "../../ui/button.tsx"
import { Switch, TextAreaField, TextField } from "../../ui/form/field.tsx"
import { fieldOf } from "../../ui/form/form.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { Fold } from "../blocks/canvas/fold.tsx"
import { topicsQuery } from "../topics/data.ts"
import { linesOf, messageOf } from "./form-fields.tsx"
import { NameField, WordingField } from "./text-fields.tsx"
import type { Values } from "./values.ts"

interface Props {
  form: UseFormReturn<Values>
  hasTurnstile: boolean
}

/** An empty field of a form is null. */
const orNull = { setValueAs: (text: string | null) => text?.trim() || null }

export function FormSettings({ form, hasTurnstile }: Props) {
  const { errors } = form.formState
  return (
    <>
      <Section title="Texts">
        <Card className="grid gap-4 p-4">
          <NameField {...fieldOf(form, "name")} />
          <WordingField {...fieldOf(form, "wording")} />
        </Card>
      </Section>
      <Topics form={form} />
      <Fold title="More settings">
        <div className="grid gap-4">
          <TextField
            label="Page after sending"
            optional
            hint="Leave empty to show a short thank-you page."
            {...fieldOf(form, "doneUrl", orNull)}
            inputMode="url"
            placeholder="https://example.com/thanks"
          />
          <TextField
            label="Page after confirming"
            optional
            {...fieldOf(form, "confirmedUrl", orNull)}
            inputMode="url"
            placeholder="https://example.com/welcome"
          />
          <TextAreaField
            label="Sites allowed to submit with JavaScript"
            optional
            hint="One origin per line, such as https://example.com. A plain HTML form needs none."
            error={messageOf(errors.origins)}
            rows={2}
            defaultValue={form.getValues("origins").join("\n")}
            onChange={({ target }) =>
              form.setValue("origins", linesOf(target.value), { shouldDirty: true })
            }
          />
          <TextField
            label="Turnstile secret"
            optional
            hint={
              hasTurnstile ? "Set. Enter another one to replace it." : "From your Turnstile widget."
            }
            {...fieldOf(form, "turnstileSecret", {
              setValueAs: (text: string | null | undefined) =>
                text === null ? null : text || undefined,
            })}
            type="password"
            autoComplete="off"
          />
          {hasTurnstile && (
            <Button
              small
              className="justify-self-start"
              onClick={() => form.setValue("turnstileSecret", null, { shouldDirty: true })}
            >
              Remove secret
            </Button>
          )}
        </div>
      </Fold>
    </>
  )
}

/** Shown once the team has a topic. */
function Topics({ form }: { form: UseFormReturn<Values> }) {
  const { data: topics } = useQuery(topicsQuery)
  const chosen = form.watch("topicIds")
  if (!topics || topics.length === 0) return null
  return (
    <Section title="Topics" about="Confirming also subscribes to these topics.">
      <Card className="grid gap-3 p-4">
        {topics.map(({ id, name }) => (
          <Switch
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={(on) =>
              form.setValue("topicIds", on ? [...chosen, id] : chosen.filter((one) => one !== id), {
                shouldDirty: true,
              })
            }
          />
        ))}
      </Card>
    </Section>
  )
}
