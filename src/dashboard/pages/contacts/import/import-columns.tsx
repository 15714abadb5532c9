import { useQuery } from "@tanstack/react-query"
import { type ConsentValue, OTHER_VALUES } from "../../../../lib/consent/columns.ts"
import { CONSENT_MEANINGS, type ConsentMeaning } from "../../../../lib/consent/meanings.ts"
import { TextInput } from "../../../ui/form/field.tsx"
import { Select } from "../../../ui/menu/select.tsx"
import { number } from "../../../ui/numbers.ts"
import { Card } from "../../../ui/page.tsx"
import { topicsQuery } from "../../topics/data.ts"
import type { CsvFile } from "./csv.ts"
import { consentValues, type Mapped, TARGETS, type Target, topicTarget } from "./mapping.ts"

const EXAMPLES = 3

interface Props {
  file: CsvFile
  mapped: readonly Mapped[]
  /** The values of a column of consent count. */
  asksConsent: boolean
  onChange(at: number, changes: Partial<Mapped>): void
}

/** What each column becomes; of consent, what each of its values means. */
export function Columns({ file, mapped, asksConsent, onChange }: Props) {
  return (
    <Card className="p-0">
      <ul>
        {mapped.map((column, at) => {
          const head = file.header[at] || `Column ${at + 1}`
          const choose = (target: Target) =>
            onChange(
              at,
              target === "consent"
                ? { target, values: consentValues(file, at) }
                : withoutValues(target),
            )
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
            <li key={at} className="grid gap-2 border-b p-3 last:border-b-0">
              <Column
                head={head}
                file={file}
                at={at}
                column={column}
                onChoose={choose}
                onChange={onChange}
              />
              {column.values && asksConsent && (
                <Values
                  head={head}
                  values={column.values}
                  onChange={(values) => onChange(at, { values })}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const withoutValues = (target: Target): Partial<Mapped> => ({ target, values: undefined })

function Column({
  head,
  file,
  at,
  column: { target, name },
  onChoose,
  onChange,
}: {
  head: string
  file: CsvFile
  at: number
  column: Mapped
  onChoose(target: Target): void
  onChange: Props["onChange"]
}) {
  const { data: topics = [] } = useQuery(topicsQuery)
  const examples = file.rows.map(({ cells }) => cells[at] ?? "").filter(Boolean)
  return (
    <div className="grid gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_144px_minmax(0,2fr)] sm:items-center">
      <span className="font-medium wrap-anywhere">{head}</span>
      <span className="truncate text-muted">{examples.slice(0, EXAMPLES).join(", ")}</span>
      <Select
        aria-label={`${head} becomes`}
        value={target}
        onChange={onChoose}
        options={[
          ...TARGETS,
          ...topics.map(({ id, name }) => [topicTarget(id), `Topic: ${name}`] as const),
        ]}
      />
      {target === "property" ? (
        <TextInput
          aria-label={`Name of the property for ${head}`}
          className="font-mono text-xs"
          value={name}
          onChange={(event) => onChange(at, { name: event.target.value })}
        />
      ) : (
        <span />
      )}
    </div>
  )
}

const MEANINGS: Record<ConsentMeaning, string> = {
  subscribed: "Subscribed",
  unsubscribed: "Unsubscribed",
  bounced: "Suppressed: bounced",
  complained: "Suppressed: complained",
  skip: "Skip these people",
}
const OPEN = "open"

const OPTIONS = CONSENT_MEANINGS.map((meaning) => [meaning, MEANINGS[meaning]] as const)

function Values({
  head,
  values,
  onChange,
}: {
  head: string
  values: readonly ConsentValue[]
  onChange(values: ConsentValue[]): void
}) {
  return (
    <ul
      aria-label={`What the values of ${head} mean`}
      className="grid gap-2 rounded border bg-sunken p-3"
    >
      {values.map((one) => {
        const said = wordsOf(one)
        return (
          <li
            key={one.value}
            className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_96px_208px] sm:items-center"
          >
            <span className="wrap-anywhere">{said}</span>
            <span className="text-muted sm:text-right">
              {number(one.count)} {one.count === 1 ? "row" : "rows"}
            </span>
            <Select
              aria-label={`${said} in ${head} means`}
              aria-invalid={one.meaning === null}
              value={one.meaning ?? OPEN}
              onChange={(meaning) =>
                meaning !== OPEN &&
                onChange(values.map((other) => (other === one ? { ...one, meaning } : other)))
              }
              options={one.meaning === null ? [[OPEN, "Choose…"], ...OPTIONS] : OPTIONS}
            />
          </li>
        )
      })}
    </ul>
  )
}

function wordsOf({ value, example }: ConsentValue): string {
  if (value === OTHER_VALUES && example !== undefined) return `Others, such as ${example}`
  return value === "" ? "(empty)" : value
}
