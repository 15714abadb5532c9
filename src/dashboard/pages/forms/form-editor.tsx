import { Suspense } from "react"
import type { Form as Stored, UpdateFormInput } from "../../../client/types.ts"
import { lazy } from "../../app/lazy.ts"
import { changesIn, requestBody, saveChanges } from "../../ui/changes.ts"
import { Form, useSchemaForm } from "../../ui/form/form.tsx"
import { Section } from "../../ui/page.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Tabs } from "../../ui/tabs.tsx"
import { say } from "../../ui/toast.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { useConfirmation } from "./confirmation.ts"
import { saveForm } from "./data.ts"
import { Embed } from "./embed.tsx"
import { FormFields } from "./form-fields.tsx"
import { FormSettings } from "./form-settings.tsx"
import { toValues, type Values } from "./values.ts"

const PagePreview = lazy(() => import("./page-preview.tsx"))
const ConfirmationMail = lazy(() => import("./confirmation-mail.tsx"))

const loadSchema = async () => (await import("../../../worker/forms/contract.ts")).updateForm.json

/** A form is live, so its changes are saved together and not as they are typed. */
export default function FormEditor({ form: stored }: { form: Stored }) {
  const { id, hasTurnstile } = stored
  const form = useSchemaForm<Values>(loadSchema, toValues(stored))
  const values = form.watch()
  const confirmation = useConfirmation(form)
  const changes = changesIn(form, values) as UpdateFormInput
  const json = requestBody(changes, { name: values.name })
  const hasSecret = values.turnstileSecret === null ? false : hasTurnstile
  return (
    <Form
      guard
      form={form}
      submit="Save changes"
      request={requestOf("PATCH", `/forms/${id}`, "forms.update", id, json)}
      onSubmit={async (input) => {
        const saved = await saveChanges(stored, changesIn(form, input) as UpdateFormInput, (body) =>
          saveForm(id, body),
        )
        form.reset(toValues(saved))
        say("Form saved")
      }}
    >
      <Tabs
        label="Form"
        tabs={[
          {
            name: "Form",
            children: (
              <div className="grid gap-6 lg:grid-cols-2">
                <div className="grid min-w-0 content-start gap-6">
                  <FormFields form={form} />
                  <FormSettings form={form} hasTurnstile={hasSecret} />
                </div>
                <Section title="Hosted page">
                  <Suspense fallback={<Skeleton />}>
                    <PagePreview
                      form={{
                        id,
                        turnstileSecret: hasSecret ? "set" : null,
                        name: values.name,
                        fields: values.fields,
                        wording: values.wording,
                      }}
                    />
                  </Suspense>
                </Section>
              </div>
            ),
          },
          {
            name: "Confirmation email",
            children: (
              <Suspense fallback={<Skeleton />}>
                <ConfirmationMail form={form} {...confirmation} />
              </Suspense>
            ),
          },
          {
            name: "Embed",
            children: <Embed id={id} hasTurnstile={hasSecret} shown={values} />,
          },
        ]}
      />
    </Form>
  )
}
