import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { MAX_CONDITIONS, type SegmentFilter } from "../../../worker/segments/filter.ts"
import { Button } from "../../ui/button.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { fieldsOf, sampleQuery } from "../campaigns/data.ts"
import { ConditionFields } from "./condition-fields.tsx"
import { campaignNamesQuery } from "./data.ts"
import {
  type ConditionDraft,
  countConditions,
  type FilterDraft,
  faultOf,
  type GroupDraft,
  hasFault,
  isGroupDraft,
  newCondition,
  newGroup,
  OTHER_PROPERTY,
  toDraft,
  toFilter,
} from "./draft.ts"
import { FilterCount } from "./filter-count.tsx"
import { groupWords, notTimesOf } from "./words.ts"

interface Props {
  bookId: string
  value: SegmentFilter
  onChange(filter: SegmentFilter): void
  /** What the API has against the filter. Each condition says its own part. */
  error: string | undefined
  /** Tells how many contacts match. */
  counts?: boolean
}

/** The conditions of a segment, with groups one level deep. */
export function FilterField({ bookId, value, onChange, error, counts }: Props) {
  const [draft, setDraft] = useState(() => toDraft(value))
  const keep = (next: FilterDraft) => {
    setDraft(next)
    onChange(toFilter(next))
  }
  const isFull = countConditions(draft) >= MAX_CONDITIONS
  const shared = { ...useChoices(bookId), showsFaults: error !== undefined, isFull }
  const set = (changed: FilterDraft["items"][number]) =>
    keep({ ...draft, items: draft.items.map((one) => (one.key === changed.key ? changed : one)) })
  const remove = (key: number) =>
    keep({ ...draft, items: draft.items.filter((one) => one.key !== key) })
  const add = (item: FilterDraft["items"][number]) =>
    keep({ ...draft, items: [...draft.items, item] })
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-medium">Conditions</legend>
      <Mode label="Contacts match" group={draft} onChange={(isAny) => keep({ ...draft, isAny })} />
      {draft.items.map((item, index) =>
        isGroupDraft(item) ? (
          <GroupFields
            key={item.key}
            {...shared}
            label={`Group ${index + 1}`}
            group={item}
            onChange={(group) => (group.items.length > 0 ? set(group) : remove(item.key))}
            isAlone={draft.items.length === 1}
          />
        ) : (
          <ConditionFields
            key={item.key}
            {...shared}
            label={`Condition ${index + 1}`}
            draft={item}
            fault={shared.showsFaults ? faultOf(item) : undefined}
            onChange={(changes) => set({ ...item, ...changes })}
            onRemove={draft.items.length > 1 ? () => remove(item.key) : undefined}
          />
        ),
      )}
      {error && !hasFault(draft) && (
        <p role="alert" className="text-xs text-failed wrap-anywhere">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button small disabledBecause={isFull && FULL} onClick={() => add(newCondition())}>
          Add condition
        </Button>
        <Button small disabledBecause={isFull && FULL} onClick={() => add(newGroup(!draft.isAny))}>
          Add group
        </Button>
      </div>
      {counts && <FilterCount bookId={bookId} filter={value} isWhole={!hasFault(draft)} />}
    </fieldset>
  )
}

const FULL = `A segment has at most ${MAX_CONDITIONS} conditions`

/** What conditions can name: the properties of the book's newest contacts, and campaigns. */
function useChoices(bookId: string) {
  const { data: sample } = useQuery({ ...sampleQuery(bookId), enabled: bookId !== "" })
  const { data: campaigns = NO_NAMES } = useQuery(campaignNamesQuery)
  const properties = useMemo(
    () => fieldsOf(sample ?? [], null).filter((field) => field.startsWith(OTHER_PROPERTY)),
    [sample],
  )
  const notTimes = useMemo(() => notTimesOf(sample ?? []), [sample])
  return { properties, campaigns, notTimes }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map()

function Mode({
  label,
  group,
  onChange,
}: {
  label: string
  group: Pick<GroupDraft, "isAny">
  onChange(isAny: boolean): void
}) {
  return (
    <Select
      aria-label={label}
      className="max-w-44"
      value={String(group.isAny)}
      onChange={(isAny) => onChange(isAny === "true")}
      options={[
        ["false", groupWords(false)],
        ["true", groupWords(true)],
      ]}
    />
  )
}

interface GroupProps extends ReturnType<typeof useChoices> {
  label: string
  group: GroupDraft
  showsFaults: boolean
  isFull: boolean
  /** The last condition of a segment stays. */
  isAlone: boolean
  onChange(group: GroupDraft): void
}

function GroupFields({ group, label, isAlone, onChange, ...shared }: GroupProps) {
  const { items } = group
  const keep = (items: readonly ConditionDraft[]) => onChange({ ...group, items })
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-md border p-2 pr-0 sm:p-3">
      <legend className="sr-only">{label}</legend>
      <Mode
        label={`${label} matches`}
        group={group}
        onChange={(isAny) => onChange({ ...group, isAny })}
      />
      {items.map((item, index) => (
        <ConditionFields
          key={item.key}
          {...shared}
          label={`${label}, condition ${index + 1}`}
          draft={item}
          fault={shared.showsFaults ? faultOf(item) : undefined}
          onChange={(changes) =>
            keep(items.map((one) => (one.key === item.key ? { ...one, ...changes } : one)))
          }
          onRemove={
            isAlone && items.length === 1
              ? undefined
              : () => keep(items.filter((one) => one.key !== item.key))
          }
        />
      ))}
      <div>
        <Button
          small
          disabledBecause={shared.isFull && FULL}
          onClick={() => keep([...items, newCondition()])}
        >
          Add condition to group
        </Button>
      </div>
    </fieldset>
  )
}
