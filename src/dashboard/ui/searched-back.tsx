import { Button } from "./button.tsx"
import { Time } from "./time.tsx"

interface Props {
  at: string | undefined
  pages: { isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** How far back a search has looked. The next page looks further. */
export function SearchedBack({ at, pages }: Props) {
  if (!at) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="text-muted">
        Searched back to <Time at={at} />.
      </p>
      <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
        Search further back
      </Button>
    </div>
  )
}
