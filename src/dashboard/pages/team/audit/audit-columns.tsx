import { ListFilter } from "lucide-react"
import type { listAuditLog } from "../../../../worker/teams/audit/contract.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { Link } from "../../../app/link.tsx"
import { OBJECT_TYPES } from "../../../app/palette/objects.ts"
import type { Filters } from "../../../app/params.ts"
import { PLACES } from "../../../app/places.ts"
import { hint, IconButton } from "../../../ui/button.tsx"
import type { Column } from "../../../ui/list/list.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { actionWords, fieldWords, isEnd } from "./audit-words.ts"

export type Entry = ReplyOf<typeof listAuditLog>["data"][number]

/** `show` opens the changes of an entry. */
export const columns = (
  setFilters: (changes: Filters) => void,
  show: (entry: Entry) => void,
): Column<Entry>[] => [
  {
    head: "Action",
    width: "minmax(0, 2fr)",
    cell: (entry) => <Action entry={entry} show={show} />,
    below: ({ actor, object }) => [object.label, nameOf(actor)].filter(Boolean).join(" · "),
  },
  {
    head: "Object",
    width: "minmax(0, 2.5fr)",
    cell: (entry) => <Which entry={entry} onFilter={(objectId) => setFilters({ objectId })} />,
  },
  {
    head: "Changes",
    width: "minmax(0, 2fr)",
    cell: ({ changes }) => (
      <span className="text-muted">{changes.map(({ field }) => fieldWords(field)).join(", ")}</span>
    ),
  },
  {
    head: "By",
    width: "minmax(0, 2fr)",
    cell: ({ actor }) =>
      actor.id ? (
        <button
          type="button"
          className="max-w-full truncate underline-offset-2 hover:underline"
          aria-label={`Show only what ${nameOf(actor)} did`}
          onClick={() => setFilters({ actorId: actor.id ?? undefined })}
        >
          {nameOf(actor)}
        </button>
      ) : (
        nameOf(actor)
      ),
  },
  { head: "When", width: "96px", right: true, phone: true, cell: ({ at }) => <Time at={at} /> },
]

/** An entry with changed fields opens them. */
function Action({ entry, show }: { entry: Entry; show(entry: Entry): void }) {
  const words = actionWords(entry.action)
  if (entry.changes.length === 0) {
    return (
      <span className="font-medium" {...hint(entry.action)}>
        {words}
      </span>
    )
  }
  return (
    <button
      type="button"
      className="max-w-full truncate font-medium underline decoration-dotted underline-offset-4"
      {...hint(entry.action)}
      onClick={() => show(entry)}
    >
      {words}
    </button>
  )
}

const nameOf = ({ type, name, id }: Entry["actor"]) =>
  type === "key" ? `API key ${name ?? id}` : (name ?? id ?? "Not signed in")

function Which({ entry, onFilter }: { entry: Entry; onFilter(objectId: string): void }) {
  const { id, label, type } = entry.object
  const own = id && PLACES.find(([prefix]) => id.startsWith(prefix))?.[1](id)
  const place = isEnd(entry.action) ? undefined : own || OBJECT_TYPES[type]?.page
  const shown = label ?? (id ? <Mono text={id} /> : OBJECT_TYPES[type]?.noun)
  return (
    <span className="flex items-center gap-1">
      <span className="min-w-0 truncate">{place ? <Link to={place}>{shown}</Link> : shown}</span>
      {id && (
        <IconButton
          small
          label="Show only this object's entries"
          className="w-7! shrink-0 text-muted opacity-0 focus-visible:opacity-100 [[role=row]:hover_&]:opacity-100"
          onClick={() => onFilter(id)}
        >
          <ListFilter size={14} aria-hidden />
        </IconButton>
      )}
    </span>
  )
}
