import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import * as z from "zod"
import { createTemplate } from "../../../worker/templates/contract.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import { Card, Page } from "../../ui/page.tsx"
import { createDraft } from "./data.ts"

const { name, slug, subject } = createTemplate.json.shape
const schema = z.object({ name, slug, subject })

const MAX_SLUG_CHARACTERS = 64
const slugOf = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_CHARACTERS)
    .replace(/^-+|-+$/g, "")

const BODY = "<p>Hello {{ name }},</p>\n<p>Write your message here.</p>\n"

export default function NewTemplate() {
  const form = useSchemaForm(schema, { name: "", slug: "", subject: "" })
  const [ownSlug, setOwnSlug] = useState(false)
  const navigate = useNavigate()
  const { errors } = form.formState
  const toCreate = (values: z.input<typeof schema>) => ({
    ...values,
    bodyHtml: BODY,
    bodyText: null,
    variablesSchema: { variables: [{ name: "name", default: "there" }] },
  })
  const values = toCreate(form.watch())
  async function create(input: z.input<typeof schema>) {
    const template = await createDraft(toCreate(input))
    queries.invalidateQueries({ queryKey: ["templates"] })
    await navigate({ to: `/templates/${template.id}`, replace: true })
  }
  return (
    <Page
      title="Add a template"
      above={<Link to="/templates">Templates</Link>}
      about="Starts as a draft. Your code finds it once you publish it."
    >
      <div className="max-w-xl">
        <Card>
          <Form
            form={form}
            submit="Create draft"
            onSubmit={create}
            guard
            beside={
              <AsRequestButton
                method="POST"
                path="/templates"
                json={values}
                library={`await edgepost.templates.create(${JSON.stringify(values, null, 2)})`}
              />
            }
          >
            <Field label="Name" error={errors.name?.message}>
              {(control) => (
                <TextInput
                  {...control}
                  autoFocus
                  {...form.register("name", {
                    onChange: ({ target }) => {
                      if (!ownSlug) form.setValue("slug", slugOf(target.value))
                    },
                  })}
                />
              )}
            </Field>
            <Field
              label="Slug"
              hint="Your code uses it to name this template. It is fixed once you publish."
              error={errors.slug?.message}
            >
              {(control) => (
                <TextInput
                  {...control}
                  className="font-mono text-xs"
                  {...form.register("slug", { onChange: () => setOwnSlug(true) })}
                />
              )}
            </Field>
            <Field label="Subject" hint="You can use {{ name }}." error={errors.subject?.message}>
              {(control) => <TextInput {...control} {...form.register("subject")} />}
            </Field>
          </Form>
        </Card>
      </div>
    </Page>
  )
}
