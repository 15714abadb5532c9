import { Link } from "../../app/link.tsx"
import { Button } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { SearchForm } from "../../ui/list/search-form.tsx"
import { SearchedBack } from "../../ui/list/searched-back.tsx"
import { number } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { type Captured, messagePage } from "./captured.ts"

export function MessageList({
  rows,
  chosen,
  isPending,
  waiting,
  isWaitingCut,
  showWaiting,
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
  q,
  searchedUntil,
  onSearch,
}: {
  rows: readonly Captured[]
  chosen: string | undefined
  isPending: boolean
  waiting: number
  isWaitingCut: boolean
  showWaiting(): void
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  q: string
  searchedUntil: string | undefined
  onSearch(q: string): void
}) {
  return (
    <nav
      aria-label="Messages"
      className="min-w-0 lg:sticky lg:top-4 lg:max-h-[calc(100dvh-32px)] lg:self-start lg:overflow-y-auto"
    >
      <search>
        <SearchForm
          className="mb-3"
          q={q}
          label="Search messages"
          placeholder="Search words, codes or addresses"
          onSearch={onSearch}
        />
      </search>
      {waiting > 0 && (
        <div className="sticky top-0 z-10 flex h-0 justify-center">
          <Button small kind="primary" onClick={showWaiting} className="mt-1">
            {number(waiting)}
            {isWaitingCut && "+"} new
          </Button>
        </div>
      )}
      {isPending && <Skeleton lines={8} />}
      {q && !isPending && rows.length === 0 && waiting === 0 && (
        <p role="status" className="pb-2 text-muted">
          {hasNextPage ? "No matches so far" : "No matches"}
        </p>
      )}
      <ul className="overflow-hidden rounded-lg border bg-raised empty:hidden">
        {rows.map(({ id, from, to, subject, createdAt }) => (
          <li key={id} className="border-b last:border-b-0">
            <Link
              to={messagePage(id, q)}
              aria-current={id === chosen ? "true" : undefined}
              className={cx(
                "grid gap-0.5 px-3 py-2 hover:bg-sunken focus-visible:-outline-offset-2",
                id === chosen && "bg-sunken",
              )}
            >
              <span className="flex min-w-0 items-baseline justify-between gap-2">
                <span className="min-w-0 truncate font-medium">{to.join(", ")}</span>
                <span className="shrink-0 text-xs text-muted">
                  <Time at={createdAt} />
                </span>
              </span>
              <span className="truncate">{subject || "No subject"}</span>
              <span className="truncate text-xs text-muted">{from}</span>
            </Link>
          </li>
        ))}
      </ul>
      <SearchedBack at={searchedUntil} isSearching={isFetchingNextPage} onSearch={fetchNextPage} />
      {hasNextPage && !searchedUntil && (
        <div className="flex justify-center p-2">
          <Button small busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show older messages
          </Button>
        </div>
      )}
    </nav>
  )
}
