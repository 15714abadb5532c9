import { useEffect, useRef } from "react"
import * as z from "zod"
import type { Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { DEFAULT_THEME } from "../../../../worker/campaigns/blocks/look.ts"
import { FONTS } from "../../../../worker/campaigns/blocks/theme.ts"
import { type Brand, brand } from "../../../../worker/teams/brand-contract.ts"
import type { getTeam, updateTeam } from "../../../../worker/teams/contract.ts"
import { call } from "../../../api/api.ts"
import { queries, type Team } from "../../../api/queries.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { changesIn } from "../../../ui/changes.ts"
import { TextAreaField } from "../../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../../ui/form/form.tsx"
import { say } from "../../../ui/toast.tsx"
import { brandTheme } from "../../blocks/look/brand.ts"
import { ContrastNote } from "../../blocks/look/contrast-note.tsx"
import { LanguageFields } from "../../blocks/look/language-fields.tsx"
import { Choice, ColorField } from "../../blocks/look/look-fields.tsx"
import { COLORS } from "../../blocks/look/theme-form.tsx"
import { BrandPreview } from "./brand-preview.tsx"
import { LogoField } from "./logo-field.tsx"

const EMPTY = {
  font: "",
  pageBackground: "",
  cardBackground: "",
  textColor: "",
  linkColor: "",
  lang: "",
  dir: "",
  logoUrl: "",
  footerText: "",
}
type Values = typeof EMPTY

const withoutEmpty = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""))

const schema = z.preprocess((values) => withoutEmpty(values as object), brand)

export default function BrandForm({ team, onClose }: { team: Team; onClose(): void }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.focus(), [])
  const form = useSchemaForm<Values>(schema, {
    ...EMPTY,
    ...(team.brand as Partial<Values> | null),
  })
  const values = form.watch()
  const shown = withoutEmpty(values) as Brand
  const set = (name: keyof Values, value = "") => form.setValue(name, value, { shouldDirty: true })
  const save = async (values: Values) => {
    // The API replaces a brand as a whole.
    const { brand } = await call<typeof getTeam>({ method: "GET", path: "/team" })
    const chosen = withoutEmpty({ ...brand, ...changesIn(form, values) })
    const body = { brand: Object.keys(chosen).length > 0 ? chosen : null }
    const saved = await call<typeof updateTeam>({ method: "PATCH", path: "/team", body })
    queries.setQueryData(["team"], saved)
    say("Brand saved")
    onClose()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset shows no outline of its own
    <div
      ref={element}
      role="group"
      aria-label="Brand"
      tabIndex={-1}
      className="grid items-start gap-8 outline-none lg:grid-cols-2"
    >
      <Form
        guard
        form={form}
        submit="Save brand"
        kind="plain"
        onSubmit={save}
        beside={<Button onClick={onClose}>Cancel</Button>}
      >
        <LogoField url={values.logoUrl} onChange={(url) => set("logoUrl", url)} />
        <Choice
          label="Font"
          value={values.font}
          options={FONTS.map((font) => [font, sentence(font)] as const)}
          onChange={(font) => set("font", font)}
        />
        <div className="grid grid-cols-2 gap-3">
          {COLORS.map(([name, label]) => (
            <ColorField
              key={name}
              label={label}
              value={values[name] || undefined}
              standard={DEFAULT_THEME[name]}
              onChange={(color) => set(name, color)}
            />
          ))}
        </div>
        <LanguageFields theme={values} onChange={set} />
        <ContrastNote theme={brandTheme(shown, {}) as Theme | null} />
        <TextAreaField
          optional
          label="Footer text"
          hint="Below the content of new campaigns. Your name and postal address follow it."
          {...fieldOf(form, "footerText")}
          rows={3}
        />
      </Form>
      <BrandPreview brand={shown} team={team} />
    </div>
  )
}
