import { Choice } from "./look-fields.tsx"

const LANGUAGES =
  "ar bg cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh".split(
    " ",
  )

const DIRECTIONS = [
  ["ltr", "Left to right"],
  ["rtl", "Right to left"],
] as const

/** Without a choice, both are guessed from the text. */
export function LanguageFields({
  theme,
  onChange,
}: {
  theme: { lang?: string | undefined; dir?: string | undefined } | null
  onChange(name: "lang" | "dir", value: string | undefined): void
}) {
  const names = new Intl.DisplayNames(["en"], { type: "language" })
  const other = theme?.lang && !LANGUAGES.includes(theme.lang) ? [theme.lang] : []
  const languages = [...LANGUAGES, ...other].map((tag) => [tag, names.of(tag) ?? tag] as const)
  return (
    <div className="grid grid-cols-2 gap-3">
      <Choice
        label="Language"
        value={theme?.lang}
        options={languages.toSorted((one, another) => one[1].localeCompare(another[1]))}
        onChange={(lang) => onChange("lang", lang)}
      />
      <Choice
        label="Direction"
        value={theme?.dir}
        options={DIRECTIONS}
        onChange={(dir) => onChange("dir", dir)}
      />
    </div>
  )
}
