import { useState } from "react"
import { Button } from "../button.tsx"
import { Time } from "../time/time.tsx"

interface Props {
  at: string | undefined
  isSearching: boolean
  onSearch(): unknown
}

/** A search goes on by itself for so many pages, unless it has found enough before. */
const PAGES_AT_ONCE = 20

interface Pages {
  hasNextPage: boolean
  data: { pages: readonly { searchedUntil?: string | undefined }[] } | undefined
}

/** For a list that looks through a limited number of records a page. `key` is what it looks for. */
export function useSearchFurther(key: string, { hasNextPage, data }: Pages) {
  const [further, setFurther] = useState({ key, pages: PAGES_AT_ONCE })
  const read = data?.pages.length ?? 0
  const at = data?.pages.at(-1)?.searchedUntil
  const most = further.key === key ? further.pages : PAGES_AT_ONCE
  const goesOn = hasNextPage && (!at || read < most)
  const searchFurther = () => setFurther({ key, pages: read + PAGES_AT_ONCE })
  return {
    goesOn,
    searchedBack: at && <SearchedBack at={at} isSearching={goesOn} onSearch={searchFurther} />,
  }
}

/** How far back a search has looked. */
export function SearchedBack({ at, isSearching, onSearch }: Props) {
  if (!at) return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="text-muted">
        Searched back to <Time at={at} />.
      </p>
      <Button busy={isSearching} onClick={onSearch}>
        Search further back
      </Button>
    </div>
  )
}
