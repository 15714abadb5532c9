import { Switch, TextField } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { ZONE } from "../../../ui/time/times.ts"
import { type Editing, issueOf } from "../use-sequence.ts"
import { DaysField } from "./days-field.tsx"

const ZONES = ["contact", ...new Set([ZONE, "UTC", ...Intl.supportedValuesOf("timeZone")])]

/** When the sequence may send. */
export function WindowFields({ editing: { content, update, issues } }: { editing: Editing }) {
  const { window } = content
  const set = (changes: Partial<NonNullable<typeof window>>) =>
    window && update({ window: { ...window, ...changes } }, `window ${Object.keys(changes)}`)
  return (
    <>
      <Switch
        label="Send only at certain times"
        hint="Email outside of the window waits until it opens."
        checked={window !== null}
        onChange={(isOn) =>
          update({
            window: isOn ? { from: "09:00", until: "17:00", zone: ZONE } : null,
          })
        }
      />
      {window && (
        <>
          <DaysField
            value={window.days}
            onChange={(days) => {
              const { days: _, ...rest } = window
              update({ window: { ...rest, ...(days && { days }) } })
            }}
          />
          {issueOf(issues, "window.days") && (
            <p role="alert" className="text-xs text-failed">
              Choose at least one day
            </p>
          )}
          <div className="flex flex-wrap gap-3">
            {(["from", "until"] as const).map((field) => (
              <TextField
                key={field}
                label={field === "from" ? "From" : "Until"}
                error={issueOf(issues, `window.${field}`)}
                className="max-w-24"
                value={window[field]}
                onChange={({ target }) => set({ [field]: target.value })}
              />
            ))}
          </div>
          <SelectField
            label="Time zone"
            hint="The contact's own zone is its property “timezone”, else UTC."
            error={issueOf(issues, "window.zone")}
            value={window.zone}
            onChange={(zone) => set({ zone })}
            options={ZONES.map((zone) => [
              zone,
              zone === "contact" ? "Each contact's own" : zone.replaceAll("_", " "),
            ])}
          />
        </>
      )}
    </>
  )
}
