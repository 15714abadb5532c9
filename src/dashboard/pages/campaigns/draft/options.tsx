import { MERGE_FIELD } from "../../../../worker/campaigns/blocks/merge.ts"
import type { Team } from "../../../api/queries.ts"
import { Button } from "../../../ui/button.tsx"
import { Field, Switch, TextInput } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import type { Layout } from "../data.ts"
import type { Content, Update } from "./use-draft.ts"

interface Props {
  content: Content
  update: Update
  invalid: Record<string, string>
  layouts: readonly Layout[]
  team: Team
  fields: readonly string[]
}

export function Options({ content, update, layouts, team }: Props) {
  return (
    <div className="grid gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        {(["headerLayoutId", "footerLayoutId"] as const).map((field) => (
          <SelectField
            key={field}
            label={field === "headerLayoutId" ? "Layout above" : "Layout below"}
            error={isGone(layouts, content[field]) ? "This layout was deleted" : undefined}
            value={content[field] ?? ""}
            onChange={(id) => update({ [field]: id || null })}
            options={[
              ["", "None"],
              ...(isGone(layouts, content[field])
                ? [[content[field] ?? "", "Deleted layout"] as const]
                : []),
              ...layouts.map(({ id, name }) => [id, name] as const),
            ]}
          />
        ))}
        {(["trackOpens", "trackClicks"] as const).map((field) => (
          <SelectField
            key={field}
            label={field === "trackOpens" ? "Track opens" : "Track clicks"}
            value={String(content[field])}
            onChange={(choice) => update({ [field]: TRACKING[choice] ?? null })}
            options={[
              ["null", `Team default (${team[field] ? "yes" : "no"})`],
              ["true", "Yes"],
              ["false", "No"],
            ]}
          />
        ))}
      </div>
      <Switch
        label="Gradual start"
        hint="Sends to 1%, then 10%, then everyone. Pauses if bounces or complaints are too high."
        checked={content.brake}
        onChange={(brake) => update({ brake })}
      />
    </div>
  )
}

const TRACKING: Record<string, boolean> = { true: true, false: false }
const isGone = (layouts: readonly Layout[], id: string | null) =>
  id !== null && !layouts.some((layout) => layout.id === id)

/** The values for contacts without a value of their own. */
export function DefaultValues({ content, update, invalid, fields }: Props) {
  const defaults = content.mergeDefaults ?? {}
  const set = (field: string, value: string | undefined) => {
    const { [field]: _, ...rest } = defaults
    const next = value === undefined ? rest : { ...defaults, [field]: value }
    update({ mergeDefaults: Object.keys(next).length > 0 ? next : null }, `default ${field}`)
  }
  const rest = fields.filter((field) => !(field in defaults) && field !== "email")
  return (
    <div className="grid gap-3">
      {invalid.mergeDefaults && (
        <p role="alert" className="text-xs text-failed">
          {invalid.mergeDefaults}
        </p>
      )}
      {Object.entries(defaults).map(([field, value]) => (
        <Field
          key={field}
          label={<code className="font-mono text-xs break-all">{field}</code>}
          error={MERGE_FIELD.test(field) ? undefined : "Not a merge field: remove it"}
        >
          {(control) => (
            <span className="flex gap-2">
              <TextInput
                {...control}
                value={value}
                onChange={(event) => set(field, event.target.value)}
              />
              <Button kind="quiet" onClick={() => set(field, undefined)}>
                Remove
              </Button>
            </span>
          )}
        </Field>
      ))}
      {rest.length > 0 && (
        <SelectField
          label="Add a default value for"
          value=""
          onChange={(field) => field && set(field, "")}
          options={[["", "Choose a merge field"], ...rest.map((one) => [one, one] as const)]}
        />
      )}
    </div>
  )
}
