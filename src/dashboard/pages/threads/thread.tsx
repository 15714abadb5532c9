import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useRef, useState } from "react"
import type { Thread, ThreadMessage } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { useChanges } from "../../api/live.ts"
import { usePages } from "../../api/pages.ts"
import { queries } from "../../api/queries.ts"
import { useShortcuts } from "../../app/keyboard.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { useRowKeys } from "../../ui/list/list-focus.ts"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { inboxesQuery, threadQuery } from "./data.ts"
import { markThreads } from "./mark.ts"
import { Message } from "./message.tsx"
import { sendLeftReplies } from "./replies.ts"
import { Reply } from "./reply.tsx"

/** The messages that are open when the page is. */
const OPEN_AT_FIRST = 2

const idOf = ({ email, received }: ThreadMessage) => (email ?? received)?.id ?? ""

export default function ThreadPage() {
  const id = useParam("id")
  const query = useQuery(threadQuery(id))
  const messages = useMessages(id)
  useEffect(sendLeftReplies, [])
  return (
    <LoadedPage query={query} title="Thread" above={<Link to="/threads">Inbox</Link>}>
      {(thread) => <Shown key={id} thread={thread} messages={messages} />}
    </LoadedPage>
  )
}

/** All messages, oldest first. The stream tells of new ones and of changes of those sent. */
function useMessages(id: string) {
  const queryKey = ["thread", id, "messages"] as const
  const pages = usePages(queryKey, (query, options) => api.threads.messages(id, query, options))
  const { hasNextPage, isFetching, error, fetchNextPage } = pages
  useEffect(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])
  const refresh = () => queries.invalidateQueries({ queryKey: ["thread", id] })
  useChanges("received", refresh)
  useChanges("email", async (ids) => {
    if (pages.rows.some((message) => ids.has(idOf(message)))) await refresh()
  })
  return pages
}

interface ShownProps {
  thread: Thread
  messages: ReturnType<typeof useMessages>
}

function Shown({ thread, messages }: ShownProps) {
  const { id, state, subject } = thread
  const inbox = useQuery(inboxesQuery).data?.find(({ id }) => id === thread.inboxId)
  const [isReplying, setReplying] = useState(false)
  const replyButton = useRef<HTMLButtonElement>(null)
  const closeReply = () => {
    setReplying(false)
    replyButton.current?.focus()
  }
  useThreadKeys(thread, () => setReplying(true))
  return (
    <Page
      title={subject || "No subject"}
      above={<Link to="/threads">Inbox</Link>}
      about={
        <span className="flex flex-wrap gap-x-3">
          <Badge state={state} />
          {inbox && <span>{inbox.name ? `${inbox.name}, ${inbox.address}` : inbox.address}</span>}
        </span>
      }
      actions={
        <>
          <Button ref={replyButton} kind="primary" onClick={() => setReplying(true)}>
            Reply
          </Button>
          {state === "open" ? (
            <Button onClick={() => markThreads([thread], "done")}>Mark as done</Button>
          ) : (
            <Button onClick={() => markThreads([thread], "open")}>Reopen</Button>
          )}
          <MoreMenu
            deletion={false}
            items={[
              state !== "spam" && {
                label: "Mark as spam",
                onSelect: () => void markThreads([thread], "spam"),
              },
            ]}
            request={{
              method: "GET",
              path: `/threads/${id}/messages`,
              library: `const { data } = await edgepost.threads.messages("${id}")`,
            }}
          />
        </>
      }
    >
      {messages.isPending && <Skeleton />}
      {messages.error && <ErrorBox error={messages.error} retry={messages.refetch} />}
      <Messages rows={messages.rows} />
      <Reply
        thread={thread}
        // The newest message is on the last page.
        rows={messages.hasNextPage ? [] : messages.rows}
        inbox={inbox?.address}
        isOpen={isReplying}
        onOpen={() => setReplying(true)}
        onClose={closeReply}
      />
    </Page>
  )
}

function Messages({ rows }: { rows: readonly ThreadMessage[] }) {
  const list = useRef<HTMLOListElement>(null)
  useRowKeys(list, rows.length, (index) =>
    list.current?.children[index]?.scrollIntoView({ block: "nearest" }),
  )
  return (
    <ol ref={list} aria-label="Messages" className="grid min-w-0 gap-3">
      {rows.map((message, index) => (
        <li key={idOf(message)} data-index={index} className="min-w-0">
          <Message
            message={message}
            isOpenAtFirst={index >= rows.length - OPEN_AT_FIRST || message.received?.read === false}
          />
        </li>
      ))}
    </ol>
  )
}

function useThreadKeys(thread: Thread, reply: () => void) {
  const latest = useRef({ thread, reply })
  latest.current = { thread, reply }
  useShortcuts(
    useMemo(() => {
      const mark = (state: Thread["state"]) => () =>
        void markThreads([latest.current.thread], state)
      return [
        { keys: "a", label: "Reply", run: () => latest.current.reply() },
        { keys: "e", label: "Mark as done", run: mark("done") },
        { keys: "!", label: "Mark as spam", run: mark("spam") },
        { keys: "o", label: "Reopen", run: mark("open") },
      ]
    }, []),
  )
}
