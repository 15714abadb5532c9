import { SEQUENCE_STATUSES } from "../../../worker/sequences/statuses.ts"
import { listSequences, type SequenceRow } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import type { Column } from "../../ui/list/list.tsx"
import { StatusList } from "../../ui/list/status-list.tsx"
import { number } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import { stateOf } from "./state.ts"

const FirstSequence = lazy(() => import("./first-sequence.tsx"))

/** A count of people. Nobody has entered a draft. */
const counted = (
  head: string,
  name: keyof SequenceRow["counts"],
  phone = false,
): Column<SequenceRow> => ({
  head,
  width: "96px",
  phoneWidth: "64px",
  right: true,
  phone,
  cell: ({ status, counts }) => (status === "draft" ? "–" : number(counts[name])),
})

const COLUMNS: readonly Column<SequenceRow>[] = [
  {
    head: "Sequence",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/sequences/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: ({ updatedAt }) => (
      <>
        Changed <Time at={updatedAt} />
      </>
    ),
  },
  {
    head: "Status",
    width: "minmax(96px, 1fr)",
    phoneWidth: "84px",
    phone: true,
    cell: (sequence) => <Badge {...stateOf(sequence)} />,
  },
  counted("Waiting", "active", true),
  counted("Finished", "finished"),
  counted("Left early", "ended"),
  {
    head: "Changed",
    width: "110px",
    right: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

export default function Sequences() {
  return (
    <StatusList<SequenceRow>
      noun="sequences"
      about="Emails that follow a person: after a sign-up, an event or a call."
      create="Create sequence"
      statuses={SEQUENCE_STATUSES}
      queryKey={["sequences", "list"]}
      list={(filter, query, options) => listSequences({ ...query, ...filter }, options)}
      columns={COLUMNS}
      First={FirstSequence}
    />
  )
}
