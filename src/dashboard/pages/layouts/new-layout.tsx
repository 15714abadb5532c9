import * as z from "zod"
import { createLayout } from "../../../worker/campaigns/layouts/contract.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { call } from "../../api/api.ts"
import { queries, refresh, teamQuery } from "../../api/queries.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { brandBlocks, brandTheme } from "../blocks/look/brand.ts"

const schema = z.object({ name: createLayout.json.shape.name })

export default function NewLayout({
  onClose,
  onCreated,
}: {
  onClose(): void
  onCreated(id: string): void
}) {
  const form = useSchemaForm(schema, { name: "" })
  async function create({ name }: { name: string }) {
    const { brand, name: teamName } = await queries.ensureQueryData(teamQuery)
    const heading = { kind: "heading", level: 2, text: name, align: "center" }
    const { above } = brandBlocks((brand ?? {}) as Brand, teamName, [])
    const theme = brand && brandTheme(brand as Brand, {})
    const blocks = above.length > 0 ? above : [heading]
    const layout = await call<typeof createLayout>({
      method: "POST",
      path: "/layouts",
      body: { name, blocks, ...(theme && { theme }) },
    })
    refresh("layouts")
    onCreated(layout.id)
  }
  return (
    <Dialog open onOpenChange={onClose} title="Create layout">
      <Form form={form} submit="Create layout" onSubmit={create}>
        <TextField label="Name" {...fieldOf(form, "name")} autoFocus />
      </Form>
    </Dialog>
  )
}
