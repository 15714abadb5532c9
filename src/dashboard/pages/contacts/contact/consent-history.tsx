import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Contact } from "../../../../client/types.ts"
import type { listConsents } from "../../../../worker/contacts/dashboard-contract.ts"
import { call, path } from "../../../api/api.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { Button } from "../../../ui/button.tsx"
import { spreadsheetLine } from "../../../ui/export/csv-line.ts"
import { download } from "../../../ui/export/download.ts"
import { Time } from "../../../ui/time/time.tsx"
import { Loaded } from "../../../ui/waiting.tsx"
import { topicsQuery } from "../../topics/data.ts"

type Entry = ReplyOf<typeof listConsents>["data"][number]

const SOURCES: Record<Entry["by"], string> = {
  link: "unsubscribe page",
  "one-click": "one-click unsubscribe",
  mail: "mail to the unsubscribe address",
  preferences: "preference page",
  import: "CSV import",
  key: "API key",
  person: "dashboard",
  "other-book": "carried over from another book",
  sequence: "sequence",
  form: "form",
  confirmation: "confirmation by email",
}

/** What the contact has agreed to and taken back, newest first. */
export function ConsentHistory({ contact }: { contact: Contact }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer font-medium">Consent history</summary>
      {open && <Entries contact={contact} />}
    </details>
  )
}

function Entries({ contact }: { contact: Contact }) {
  const { bookId, id } = contact
  const { data: topics = [] } = useQuery(topicsQuery)
  const query = useQuery({
    queryKey: ["contacts", "consents", bookId, id],
    queryFn: () =>
      call<typeof listConsents>({
        method: "GET",
        path: path`/contact-books/${bookId}/contacts/${id}/consents`,
      }),
    staleTime: 0,
  })
  const nameOf = ({ topicId }: Entry) =>
    topicId === null
      ? "This book"
      : (topics.find((topic) => topic.id === topicId)?.name ?? "A deleted topic")
  return (
    <Loaded query={query} lines={2}>
      {({ data }) => (
        <div className="mt-2 grid gap-3">
          {data.length === 0 && <p className="text-muted">No changes recorded.</p>}
          <ol className="divide-y">
            {data.map((entry) => (
              <li
                key={`${entry.at} ${entry.topicId}`}
                className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5"
              >
                <span className="min-w-0 wrap-anywhere">
                  {nameOf(entry)}: {stateOf(entry)}
                </span>
                <span className="text-muted">
                  {SOURCES[entry.by]} · <Time at={entry.at} />
                </span>
              </li>
            ))}
          </ol>
          {data.length > 0 && (
            <Button
              small
              className="justify-self-start"
              onClick={() => download(`consent-${contact.email}.csv`, toCsv(data, nameOf))}
            >
              Download as CSV
            </Button>
          )}
        </div>
      )}
    </Loaded>
  )
}

const stateOf = ({ subscribed }: Entry) =>
  subscribed === null ? "choice removed" : subscribed ? "subscribed" : "unsubscribed"

const toCsv = (entries: readonly Entry[], nameOf: (entry: Entry) => string) =>
  [
    ["at", "scope", "topic_id", "state", "by", "actor_id"],
    ...entries.map((entry) => [
      entry.at,
      nameOf(entry),
      entry.topicId ?? "",
      stateOf(entry),
      entry.by,
      entry.actorId ?? "",
    ]),
  ]
    .map(spreadsheetLine)
    .join("")
