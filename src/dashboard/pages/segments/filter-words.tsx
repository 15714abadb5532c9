import { useQuery } from "@tanstack/react-query"
import type { Segment } from "../../../client/types.ts"
import type { Condition, SegmentFilter } from "../../../worker/segments/filter.ts"
import { groupOf, isGroup } from "../../../worker/segments/groups.ts"
import { campaignNamesQuery } from "./data.ts"
import { conditionWords, groupWords } from "./words.ts"

const NO_NAMES = new Map<string, string>()

/** The conditions of a segment as nested lists. */
export function FilterWords({ filter }: Pick<Segment, "filter">) {
  const { items, isAny } = groupOf(filter as SegmentFilter)
  const names = useQuery(campaignNamesQuery).data ?? NO_NAMES
  const words = (condition: Condition) => conditionWords(condition, names)
  return (
    <div className="grid gap-2">
      {items.length > 1 && <p className="text-muted">{groupWords(isAny)}</p>}
      <ul className="grid gap-1">
        {items.map((item, index) => {
          const group = isGroup(item) && groupOf<Condition>(item)
          return (
            <li key={String(index)} className="wrap-anywhere">
              {group ? (
                <>
                  <p className="text-muted">{groupWords(group.isAny)}</p>
                  <ul className="mt-1 grid gap-1 border-l pl-3">
                    {group.items.map((one, position) => (
                      <li key={String(position)}>{words(one)}</li>
                    ))}
                  </ul>
                </>
              ) : (
                words(item)
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
