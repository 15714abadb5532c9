import { useQuery } from "@tanstack/react-query"
import { Controller } from "react-hook-form"
import type * as z from "zod"
import type { EventType } from "../../../worker/webhooks/events/types.ts"
import { installationQuery } from "../../api/installation.ts"
import { changesIn } from "../../ui/changes.ts"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { EventChoice } from "./event-choice.tsx"

interface WebhookValues {
  name: string
  url: string
  events: EventType[]
}

/** The fields of a webhook, checked by the schema of the call that gets them. */
export function WebhookForm({
  schema,
  values,
  submit,
  onSubmit,
  request,
}: {
  schema: z.ZodType
  values: WebhookValues
  submit: string
  onSubmit(values: WebhookValues, changes: Partial<WebhookValues>): Promise<unknown>
  request(values: WebhookValues, changes: Partial<WebhookValues>): AsRequest
}) {
  const form = useSchemaForm<WebhookValues>(schema, values)
  const { errors } = form.formState
  const { data: installation } = useQuery(installationQuery)
  const shown = form.watch()
  return (
    <Form
      guard
      form={form}
      submit={submit}
      onSubmit={(values) => onSubmit(values, changesIn(form, values))}
      request={request(shown, changesIn(form, shown))}
    >
      <TextField
        label="URL"
        hint={
          installation?.privateWebhooks
            ? "http and localhost also work on this installation."
            : "Must use https and be reachable from the internet."
        }
        {...fieldOf(form, "url")}
        inputMode="url"
        placeholder="https://example.com/hooks/edgepost"
        autoComplete="off"
        autoFocus
      />
      <TextField
        optional
        label="Name"
        hint="Tells webhooks on the same host apart."
        {...fieldOf(form, "name")}
        placeholder="Billing"
        autoComplete="off"
      />
      <Controller
        control={form.control}
        name="events"
        render={({ field }) => (
          <EventChoice
            chosen={field.value}
            onChange={field.onChange}
            error={errors.events?.message}
          />
        )}
      />
    </Form>
  )
}
