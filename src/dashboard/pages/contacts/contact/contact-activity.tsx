import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { Contact } from "../../../../client/types.ts"
import type { listRunRows } from "../../../../worker/sequences/runs/dashboard-contract.ts"
import { api, call } from "../../../api/api.ts"
import { Link } from "../../../app/link.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { Loaded } from "../../../ui/waiting.tsx"
import { endWords } from "../../sequences/words.ts"

const NEWEST = { limit: 25 }

/** What the contact goes through, what it did, and the forms that it has filled in. */
export const ContactActivity = ({ contact }: { contact: Contact }) => (
  <>
    <Fold title="Sequences">
      <Sequences contact={contact} />
    </Fold>
    <Fold title="Events">
      <Events contact={contact} />
    </Fold>
    <Fold title="Forms">
      <Forms contact={contact} />
    </Fold>
  </>
)

/** Read when it is opened. */
function Fold({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer font-medium">{title}</summary>
      {open && children}
    </details>
  )
}

interface ListProps<T> {
  name: string
  contact: Contact
  read(): Promise<{ data: T[] }>
  empty: string
  keyOf(row: T): string
  children(row: T): [what: ReactNode, when: ReactNode]
}

/** The newest of them. */
function Newest<T>({ name, contact, read, empty, keyOf, children }: ListProps<T>) {
  const query = useQuery({
    queryKey: ["contacts", name, contact.bookId, contact.id],
    queryFn: read,
    staleTime: 0,
  })
  return (
    <Loaded query={query} lines={2}>
      {({ data }) => (
        <div className="mt-2">
          {data.length === 0 && <p className="text-muted">{empty}</p>}
          <ol className="divide-y">
            {data.map((row) => {
              const [what, when] = children(row)
              return (
                <li
                  key={keyOf(row)}
                  className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
                >
                  <span className="min-w-0 wrap-anywhere">{what}</span>
                  <span className="text-muted">{when}</span>
                </li>
              )
            })}
          </ol>
        </div>
      )}
    </Loaded>
  )
}

const Sequences = ({ contact }: { contact: Contact }) => (
  <Newest
    name="sequences"
    contact={contact}
    read={() =>
      call<typeof listRunRows>({
        method: "GET",
        path: "/run-rows",
        query: { ...NEWEST, contactId: contact.id },
      })
    }
    empty="Never entered a sequence."
    keyOf={({ id }) => id}
  >
    {({ sequenceId, sequenceName, state, endedBy, heldReason, endedAt, dueAt, startedAt }) => [
      <>
        <Link to={`/sequences/${sequenceId}`} className="underline">
          {sequenceName}
        </Link>
        {state === "held" && `: ${heldReason}`}
      </>,
      state === "done" ? (
        <>
          {endWords(endedBy)} · <Time at={endedAt} />
        </>
      ) : state === "held" ? (
        <>
          Held · entered <Time at={startedAt} />
        </>
      ) : dueAt === null ? (
        "Paused"
      ) : (
        <>
          Continues <Time at={dueAt} />
        </>
      ),
    ]}
  </Newest>
)

const Events = ({ contact }: { contact: Contact }) => (
  <Newest
    name="events"
    contact={contact}
    read={() => api.contacts.events(contact.bookId, contact.id, NEWEST)}
    empty="No events in the last 90 days."
    keyOf={({ id }) => id}
  >
    {({ name, properties, at }) => [
      <>
        <code className="font-mono text-xs">{name}</code>{" "}
        <span className="text-xs text-muted">
          {Object.entries(properties)
            .map(([key, value]) => `${key} = ${value}`)
            .join(", ")}
        </span>
      </>,
      <Time key="at" at={at} />,
    ]}
  </Newest>
)

const Forms = ({ contact }: { contact: Contact }) => (
  <Newest
    name="forms"
    contact={contact}
    read={() => api.contacts.consent(contact.bookId, contact.id, NEWEST)}
    empty="No form submissions."
    keyOf={({ id }) => id}
  >
    {({ wording, askedAt, confirmedAt, network }) => [
      <>
        {wording ?? "Asked for a confirmation"}{" "}
        {network && <span className="text-xs text-muted">from {network}</span>}
      </>,
      confirmedAt === null ? (
        <>
          Asked <Time at={askedAt} />, not confirmed
        </>
      ) : (
        <>
          Confirmed <Time at={confirmedAt} />
        </>
      ),
    ]}
  </Newest>
)
