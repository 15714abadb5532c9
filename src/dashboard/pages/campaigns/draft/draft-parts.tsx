import { useMemo, useState } from "react"
import type { Contact } from "../../../../client/types.ts"
import { inLayouts } from "../../../../worker/campaigns/body.ts"
import type { Team } from "../../../api/queries.ts"
import { Button } from "../../../ui/button.tsx"
import { Select } from "../../../ui/menu/select.tsx"
import { Preview } from "../../blocks/preview.tsx"
import { type Message, NOBODY } from "../../blocks/render-message.ts"
import type { Layout } from "../data.ts"
import type { useDraft } from "./use-draft.ts"

type Value = ReturnType<typeof useDraft>["value"]

/** The message as it would be sent now. */
export function useMessage(value: Value, layouts: readonly Layout[], team: Team): Message {
  return useMemo(() => {
    const header = layouts.find(({ id }) => id === value.headerLayoutId)
    const footer = layouts.find(({ id }) => id === value.footerLayoutId)
    return {
      ...inLayouts(value, { header, footer }),
      mergeDefaults: value.mergeDefaults ?? {},
      sender: team,
    }
  }, [value, layouts, team])
}

/** Either the canvas, or the message with the values of one contact. */
export function WriteOrPreview({
  shown,
  onShow,
}: {
  shown: "write" | "preview"
  onShow(shown: "write" | "preview"): void
}) {
  return (
    <fieldset className="flex gap-2">
      <legend className="sr-only">Show</legend>
      {(["write", "preview"] as const).map((one) => (
        <Button
          key={one}
          aria-pressed={shown === one}
          className="aria-pressed:bg-sunken"
          onClick={() => onShow(one)}
        >
          {one === "write" ? "Write" : "Preview"}
        </Button>
      ))}
    </fieldset>
  )
}

const MAX_SHOWN_AS = 20

export function PreviewAs({ message, sample }: { message: Message; sample: readonly Contact[] }) {
  const [id, setId] = useState("")
  const contact = sample.find((one) => one.id === id) ?? NOBODY
  return (
    <div className="grid gap-3">
      <Select
        aria-label="Preview as"
        value={id}
        onChange={setId}
        options={[
          ["", "Preview with default values"],
          ...sample
            .slice(0, MAX_SHOWN_AS)
            .map(({ id, email }) => [id, `Preview as ${email}`] as const),
        ]}
      />
      <Preview message={message} contact={contact} />
    </div>
  )
}
