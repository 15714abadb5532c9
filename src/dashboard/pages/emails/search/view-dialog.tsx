import { type ViewQuery, viewInput } from "../../../../worker/views/contract.ts"
import { createSavedView, type SavedView, updateSavedView } from "../../../api/views.ts"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { TextField } from "../../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../../ui/form/form.tsx"
import { say } from "../../../ui/toast.tsx"
import { useMayChange } from "../may-change.ts"

interface Props {
  /** The view to rename. Without one, the filters are saved under a new name. */
  view: SavedView | undefined
  views: readonly SavedView[]
  query: ViewQuery
  onClose(): void
}

const NAME_ONLY = viewInput.pick({ name: true })

/** A name that stands for another view replaces its filters. */
export default function ViewDialog({ view, views, query, onClose }: Props) {
  const form = useSchemaForm(NAME_ONLY, { name: view?.name ?? "" })
  const mayChange = useMayChange()
  const key = form.watch("name").trim().toLowerCase()
  const named = view ? undefined : views.find(({ name }) => name.toLowerCase() === key)
  const replaced = named && mayChange(named) ? named : undefined
  return (
    <Dialog open onOpenChange={onClose} title={view ? "Rename view" : "Save view"}>
      <Form
        guard
        form={form}
        submit={view ? "Rename view" : replaced ? "Replace view" : "Save view"}
        onSubmit={async ({ name }) => {
          if (view) await updateSavedView(view.id, { name })
          else if (replaced) await updateSavedView(replaced.id, { query })
          else await createSavedView({ name, query })
          onClose()
          say(view ? "View renamed" : "View saved")
        }}
      >
        <TextField
          label="Name"
          hint={replaced ? "This view exists. Its filters are replaced." : "Your team sees it."}
          {...fieldOf(form, "name")}
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
