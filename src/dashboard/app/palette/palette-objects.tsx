import { useQueries } from "@tanstack/react-query"
import { Command } from "cmdk"
import type { CallOptions } from "../../../client/request.ts"
import { api } from "../../api/api.ts"
import { listCampaigns, listSequences } from "../../api/queries.ts"
import { readViews } from "../../api/views.ts"
import { viewPage } from "../../pages/emails/search/view-query.ts"
import { readDrafts } from "../../pages/templates/data.ts"
import { useMay } from "../people.ts"
import { Item } from "./palette-item.tsx"

const NEWEST = { limit: 100 }

interface Kind {
  noun: string
  page: string
  read(
    options: CallOptions,
  ): Promise<{ data: { id: string; name?: string | null; url?: string; page?: string }[] }>
  manage?: boolean
}

async function findViews() {
  const views = await readViews()
  return { data: views.map(({ id, name, query }) => ({ id, name, page: viewPage({ query }) })) }
}

async function findUnpublished() {
  const drafts = await readDrafts()
  return {
    data: drafts.flatMap(({ id, unpublished }) =>
      unpublished ? [{ id, name: unpublished.name }] : [],
    ),
  }
}

const KINDS: readonly Kind[] = [
  { noun: "Saved view", page: "/emails", read: findViews },
  { noun: "Campaign", page: "/campaigns", read: (options) => listCampaigns(NEWEST, options) },
  { noun: "Sequence", page: "/sequences", read: (options) => listSequences(NEWEST, options) },
  { noun: "Template", page: "/templates", read: (options) => api.templates.list(NEWEST, options) },
  { noun: "Draft template", page: "/templates", read: findUnpublished },
  {
    noun: "Contact book",
    page: "/contacts",
    read: (options) => api.contactBooks.list(NEWEST, options),
  },
  { noun: "Form", page: "/forms", read: (options) => api.forms.list(NEWEST, options) },
  { noun: "Segment", page: "/segments", read: (options) => api.segments.list(NEWEST, options) },
  { noun: "Domain", page: "/domains", read: (options) => api.domains.list(NEWEST, options) },
  {
    noun: "Webhook",
    page: "/webhooks",
    read: (options) => api.webhooks.list(NEWEST, options),
    manage: true,
  },
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
      // With the signal, closing the palette ends the calls. The next palette makes its own.
      queryFn: ({ signal }) => read({ signal }),
      enabled: !manage || may.manage,
      staleTime: 0,
    })),
  })
  if (!shown) return null
  return (
    <Command.Group data-answers heading="By name" className="text-muted [&_[cmdk-item]]:text-ink">
      {KINDS.flatMap(({ noun, page }, index) =>
        lists[index]?.data?.data.map(({ id, name, url = "", page: own }) => (
          <Item
            key={id}
            value={`${name ?? ""} ${url} ${id}`}
            onSelect={() => go(own ?? `${page}/${id}`)}
          >
            <span className="min-w-0 truncate">{name ?? url}</span>
            <span className="ml-auto shrink-0 text-xs text-muted">{noun}</span>
          </Item>
        )),
      )}
    </Command.Group>
  )
}
