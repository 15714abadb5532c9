import { CONTENT_WIDTHS, FONTS, type Theme } from "../../../../worker/campaigns/blocks/contract.ts"
import { DEFAULT_THEME } from "../../../../worker/campaigns/blocks/look.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { withChanges } from "../draft/draft.ts"
import { ContrastNote } from "./contrast-note.tsx"
import { LanguageFields } from "./language-fields.tsx"
import { Choice, ColorField } from "./look-fields.tsx"

export const COLORS = [
  ["pageBackground", "Page"],
  ["cardBackground", "Card"],
  ["textColor", "Text"],
  ["linkColor", "Links and buttons"],
] as const

/**
 * Without a choice the theme is null: then the layout's theme applies, or the default, which has a
 * dark form.
 */
export function ThemeForm({
  theme,
  onChange,
  onUseBrand,
}: {
  theme: Theme | null
  /** Absent where the team has no brand. */
  onUseBrand?: (() => void) | undefined
  onChange(theme: Theme | null, step: string): void
}) {
  const update = (changes: Record<string, unknown>) => {
    const next = withChanges(theme ?? {}, changes) as Theme
    onChange(Object.keys(next).length > 0 ? next : null, `theme ${Object.keys(changes).join()}`)
  }
  return (
    <div className="grid gap-3">
      <p className="text-muted">Without custom colors, the email follows light and dark mode.</p>
      {onUseBrand && (
        <Button small className="justify-self-start" onClick={onUseBrand}>
          Use brand
        </Button>
      )}
      <div className="grid grid-cols-2 gap-3">
        <Choice
          label="Font"
          value={theme?.font}
          options={FONTS.map((font) => [font, sentence(font)] as const)}
          onChange={(font) => update({ font })}
        />
        <Choice
          label="Content width"
          value={theme?.contentWidth}
          options={CONTENT_WIDTHS.map((width) => [String(width), `${width} px`] as const)}
          onChange={(width) => update({ contentWidth: width && Number(width) })}
        />
        {COLORS.map(([name, label]) => (
          <ColorField
            key={name}
            label={label}
            value={theme?.[name]}
            standard={DEFAULT_THEME[name]}
            onChange={(color) => update({ [name]: color })}
          />
        ))}
      </div>
      <LanguageFields theme={theme} onChange={(name, value) => update({ [name]: value })} />
      <ContrastNote theme={theme} />
    </div>
  )
}
