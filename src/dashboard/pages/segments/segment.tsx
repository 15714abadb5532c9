import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useMemo, useState } from "react"
import type { Contact, Segment } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { queries, refresh } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { List } from "../../ui/list/list.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { counted, number } from "../../ui/numbers.ts"
import { Card, Page, Section } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { LoadedPage } from "../../ui/waiting.tsx"
import { columnsOf } from "../contacts/contact-list.tsx"
import { bookQuery } from "../contacts/data.ts"
import { segmentQuery } from "./data.ts"
import { FilterWords } from "./filter-words.tsx"

const SegmentDialog = lazy(() => import("./segment-dialog.tsx"))

const ABOVE = <Link to="/segments">Segments</Link>

export default function SegmentPage() {
  const query = useQuery(segmentQuery(useParam("id")))
  return (
    <LoadedPage query={query} title="Segment" above={ABOVE}>
      {(segment) => <Shown key={segment.id} segment={segment} />}
    </LoadedPage>
  )
}

function Shown({ segment }: { segment: Segment }) {
  const [isEditing, setEditing] = useState(false)
  const may = useMay()
  const navigate = useNavigate()
  const { data: book } = useQuery(bookQuery(segment.bookId))
  const remove = async () => {
    await api.segments.remove(segment.id)
    queries.removeQueries({ queryKey: ["segments", "one", segment.id] })
    void refresh("segments")
    await navigate({ to: "/segments" })
    say("Segment deleted")
  }
  return (
    <Page
      title={segment.name}
      above={ABOVE}
      about={
        <span className="flex flex-wrap items-center gap-x-4">
          <Count segment={segment} />
          <Link to={`/contacts/${segment.bookId}`} className="underline">
            {book?.name ?? "Contact book"}
          </Link>
          <Mono text={segment.id} copy />
        </span>
      }
      actions={
        <>
          {may.manage && (
            <Button kind="primary" onClick={() => setEditing(true)}>
              Edit segment
            </Button>
          )}
          <MoreMenu
            request={{
              method: "GET",
              path: `/segments/${segment.id}/contacts`,
              library: `for await (const contact of edgepost.segments.iterateContacts("${segment.id}")) console.log(contact.email)`,
            }}
            deletion={
              may.manage && {
                action: "Delete segment",
                description:
                  "Its contacts stay. A draft to this segment needs another one before it can be sent.",
                typed: segment.name,
                onConfirm: remove,
              }
            }
          />
        </>
      }
    >
      <Card>
        <FilterWords filter={segment.filter} />
      </Card>
      <Section title="Contacts">
        <Members segment={segment} />
      </Section>
      <Suspense>
        {isEditing && (
          <SegmentDialog
            segment={segment}
            onClose={() => setEditing(false)}
            onSaved={(saved) => queries.setQueryData(segmentQuery(saved.id).queryKey, saved)}
          />
        )}
      </Suspense>
    </Page>
  )
}

const Count = ({ segment }: { segment: Segment }) => {
  const { contactCount, eligibleCount, countedAt } = segment
  return contactCount === null ? (
    <span role="status">Counting contacts…</span>
  ) : (
    <span>
      {counted(contactCount, "contact")}
      {eligibleCount !== null && `, ${number(eligibleCount)} can be mailed`}, counted{" "}
      <Time at={countedAt} />
    </span>
  )
}

/** Pages without a match that are read before the person is asked whether to look further. */
const PAGES_AT_ONCE = 10

function Members({ segment: { id, bookId, filter } }: { segment: Segment }) {
  const pages = usePages(["segments", "contacts", id, filter], (query, options) =>
    api.segments.contacts(id, query, options),
  )
  const toContact = ({ id }: Contact) => `/contacts/${bookId}?contact=${id}`
  const columns = useMemo(
    () => columnsOf(({ id }) => `/contacts/${bookId}?contact=${id}`),
    [bookId],
  )
  const read = pages.data?.pages.length ?? 0
  const isNoneYet = pages.rows.length === 0 && pages.hasNextPage
  const waits = isNoneYet && read % PAGES_AT_ONCE === 0
  return (
    <List
      {...pages}
      hasNextPage={pages.hasNextPage && !waits}
      isPending={pages.isPending || (isNoneYet && !waits)}
      label="Contacts"
      columns={columns}
      rowKey={({ id }) => id}
      href={toContact}
      empty={
        isNoneYet ? (
          <Empty title="No matches among the newest contacts">
            <div>
              <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
                Look further
              </Button>
            </div>
          </Empty>
        ) : (
          <Empty title="No contacts match" />
        )
      }
    />
  )
}
