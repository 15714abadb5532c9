import { Suspense } from "react"
import type { Topic } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { refresh } from "../../api/queries.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { NotFoundDialog } from "../../ui/dialog/not-found-dialog.tsx"
import { type Column, CREATED, List } from "../../ui/list/list.tsx"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"

const TopicDialog = lazy(() => import("./topic-dialog.tsx"))

const toTopic = ({ id }: Topic) => `/topics?topic=${id}`

const SHORT = { subscribed: "All but opt-outs", unsubscribed: "Opt-ins only" }

const COLUMNS: readonly Column<Topic>[] = [
  {
    head: "Topic",
    width: "minmax(0, 3fr)",
    cell: (topic) => (
      <Link to={toTopic(topic)} className="font-medium">
        {topic.name}
      </Link>
    ),
    below: ({ description }) => description ?? "",
  },
  {
    head: "Who gets it",
    width: "minmax(0, 2fr)",
    phone: true,
    cell: (topic) => SHORT[topic.default],
  },
  CREATED,
]

const FIRST = requestOf("POST", "/topics", "topics.create", {
  name: "Product news",
  description: "New features, once a month",
})

export default function Topics() {
  const [{ topic: id, new: isNew }, setFilters] = useFilters()
  const may = useMay()
  const pages = usePages(["topics"], (query) => api.topics.list(query))
  const shown = pages.rows.find((topic) => topic.id === id)
  const isMissing = id && !shown && pages.isSuccess && !pages.hasNextPage
  const close = () => setFilters({ new: undefined, topic: undefined })
  return (
    <Page
      title="Topics"
      about="Types of email that recipients choose on the preference page. A campaign can belong to one."
      actions={
        <>
          {may.manage && <NewButton>Create topic</NewButton>}
          <ListAsRequest path="/topics" />
        </>
      }
    >
      <List
        {...pages}
        label="Topics"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={toTopic}
        empty={
          <FirstCall title="No topics yet" request={FIRST} refetch={pages.refetch}>
            <p>
              With topics, people can leave one kind of your mail and keep the rest. Link{" "}
              <code className="whitespace-nowrap">{"{{ preferencesUrl }}"}</code> in a campaign.
            </p>
          </FirstCall>
        }
      />
      <Suspense>
        {(shown || (isNew && may.manage)) && (
          <TopicDialog
            key={shown?.id}
            topic={shown}
            onClose={close}
            onChanged={() => void refresh("topics")}
          />
        )}
      </Suspense>
      {isMissing && <NotFoundDialog noun="Topic" onClose={close} />}
    </Page>
  )
}
