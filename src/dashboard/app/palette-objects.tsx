import { useQueries } from "@tanstack/react-query"
import { Command } from "cmdk"
import { api } from "../api/api.ts"
import { queries } from "../api/queries.ts"
import { viewsQuery } from "../api/views.ts"
import { viewPage } from "../pages/emails/view-query.ts"
import { draftsQuery } from "../pages/templates/data.ts"
import { Item } from "./palette-item.tsx"
import { useMay } from "./people.ts"

const NEWEST = { limit: 100 }

interface Kind {
  noun: string
  page: string
  read(): Promise<{ data: { id: string; name?: string; url?: string; page?: string }[] }>
  manage?: boolean
}

async function readViews() {
  const views = await queries.fetchQuery({ ...viewsQuery, staleTime: 0 })
  return { data: views.map(({ id, name, query }) => ({ id, name, page: viewPage({ query }) })) }
}

async function readUnpublished() {
  const drafts = await queries.fetchQuery({ ...draftsQuery, staleTime: 0 })
  return {
    data: drafts.flatMap(({ id, unpublished }) =>
      unpublished ? [{ id, name: unpublished.name }] : [],
    ),
  }
}

const KINDS: readonly Kind[] = [
  { noun: "Saved view", page: "/emails", read: readViews },
  { noun: "Campaign", page: "/campaigns", read: () => api.campaigns.list(NEWEST) },
  { noun: "Template", page: "/templates", read: () => api.templates.list(NEWEST) },
  { noun: "Draft template", page: "/templates", read: readUnpublished },
  { noun: "Contact book", page: "/contacts", read: () => api.contactBooks.list(NEWEST) },
  { noun: "Segment", page: "/segments", read: () => api.segments.list(NEWEST) },
  { noun: "Domain", page: "/domains", read: () => api.domains.list(NEWEST) },
  { noun: "Webhook", page: "/webhooks", read: () => api.webhooks.list(NEWEST), manage: true },
]

interface Props {
  shown: boolean
  go(href: string): void
}

/** The newest objects of each kind, to be found by their names. */
export function PaletteObjects({ shown, go }: Props) {
  const may = useMay()
  const lists = useQueries({
    queries: KINDS.map(({ noun, read, manage }) => ({
      queryKey: ["palette", noun],
      queryFn: read,
      enabled: !manage || may.manage,
      staleTime: 0,
    })),
  })
  if (!shown) return null
  return (
    <Command.Group heading="By name" className="text-muted [&_[cmdk-item]]:text-ink">
      {KINDS.flatMap(({ noun, page }, index) =>
        lists[index]?.data?.data.map(({ id, name = "", url = name, page: own }) => (
          <Item key={id} value={`${url} ${id}`} onSelect={() => go(own ?? `${page}/${id}`)}>
            <span className="min-w-0 truncate">{url}</span>
            <span className="ml-auto shrink-0 text-xs text-muted">{noun}</span>
          </Item>
        )),
      )}
    </Command.Group>
  )
}
