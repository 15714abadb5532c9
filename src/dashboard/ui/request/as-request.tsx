import { MoreMenu } from "../menu/more-menu.tsx"
import type { AsRequest } from "./request-codes.ts"

/**
 * A menu that shows the call which does the same. A page with a menu of its own gives the request to
 * its `MoreMenu`.
 */
export const AsRequestButton = (request: AsRequest) => (
  <MoreMenu request={request} deletion={false} />
)

/** The same for a list without filters. `of` is its name in the library. */
export const ListAsRequest = ({ path, of = path.slice(1) }: { path: string; of?: string }) => (
  <AsRequestButton
    method="GET"
    path={path}
    library={`const { data } = await edgepost.${of}.list()`}
  />
)
