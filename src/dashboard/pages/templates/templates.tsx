import { useQuery } from "@tanstack/react-query"
import type { Template } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall, firstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Badge } from "../../ui/badge.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { type Column, List } from "../../ui/list.tsx"
import { Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"
import { draftsQuery } from "./data.ts"

const COLUMNS: readonly Column<Template>[] = [
  {
    head: "Template",
    width: "minmax(0, 2fr)",
    cell: ({ id, name }) => (
      <span className="flex min-w-0 items-center gap-3">
        <Link to={`/templates/${id}`} className="min-w-0 truncate font-medium">
          {name}
        </Link>
        <DraftMark id={id} />
      </span>
    ),
    below: ({ slug, version }) => `${slug} · version ${version}`,
  },
  {
    head: "Slug",
    width: "minmax(0, 2fr)",
    cell: ({ slug }) => <code className="font-mono text-xs">{slug}</code>,
  },
  { head: "Subject", width: "minmax(0, 2fr)", cell: ({ subject }) => subject },
  { head: "Version", width: "70px", right: true, cell: ({ version }) => version },
  {
    head: "Updated",
    width: "120px",
    right: true,
    phone: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

/** There are changes that are not published. */
function DraftMark({ id }: { id: string }) {
  const { data } = useQuery(draftsQuery)
  return data?.has(id) ? <Badge state="waiting" label="Draft" /> : null
}

const FIRST = firstCall("/templates", "templates.create", {
  slug: "welcome",
  name: "Welcome",
  subject: "Welcome, {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
  variablesSchema: { variables: [{ name: "name", type: "string", default: "you" }] },
})

export default function Templates() {
  const pages = usePages(["templates"], (query) => api.templates.list(query))
  return (
    <Page
      title="Templates"
      actions={
        <>
          <AsRequestButton
            method="GET"
            path="/templates"
            library="const { data } = await edgepost.templates.list()"
          />
          <Link to="/templates/new" className={buttonClass("primary")}>
            Add a template
          </Link>
        </>
      }
    >
      <List
        {...pages}
        label="Templates"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/templates/${id}`}
        empty={
          <FirstCall title="No templates yet" request={FIRST} refetch={pages.refetch}>
            <p>A template is an email with variables. Your code sends it by name, with values.</p>
          </FirstCall>
        }
      />
    </Page>
  )
}
