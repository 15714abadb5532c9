import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ApiKey } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { domainsQuery } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { menuColumn } from "../../ui/menu/row-menu.tsx"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { PERMISSION_WORDS } from "./words.ts"

const CreateKey = lazy(() => import("./create-key.tsx"))

export default function ApiKeys() {
  const may = useMay()
  const [{ new: isNew }, setFilters] = useFilters()
  const navigate = useNavigate()
  const [revoked, setRevoked] = useState<ApiKey>()
  const pages = usePages(["api-keys"], (query) => api.apiKeys.list(query))
  const create = may.manage && <NewButton>Create API key</NewButton>
  return (
    <Page
      title="API keys"
      about={
        <>
          Used by your apps and the SMTP relay. <Link to="/refused-calls">See refused calls</Link>
        </>
      }
      actions={
        <>
          {pages.rows.length > 0 && create}
          <ListAsRequest path="/api-keys" of="apiKeys" />
        </>
      }
    >
      <List
        {...pages}
        label="API keys"
        columns={columns(may.manage, setRevoked, ({ id }) =>
          navigate({ to: "/refused-calls", search: { keyId: id } as never }),
        )}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No API keys yet">
            <p>Create a key and get code to send your first email.</p>
            <div>{create}</div>
          </Empty>
        }
      />
      <Suspense>
        {isNew && may.manage && (
          <CreateKey
            onClose={() => {
              setFilters({ new: undefined })
              pages.refetch()
            }}
          />
        )}
      </Suspense>
      {revoked && (
        <Revoke
          apiKey={revoked}
          onClose={() => setRevoked(undefined)}
          onRevoked={() => pages.refetch()}
        />
      )}
    </Page>
  )
}

function columns(
  manage: boolean,
  onRevoke: (key: ApiKey) => void,
  onRefused: (key: ApiKey) => void,
): Column<ApiKey>[] {
  return [
    {
      head: "Name",
      width: "minmax(0, 3fr)",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
      below: (key) => <May apiKey={key} />,
    },
    { head: "Permissions", width: "minmax(0, 3fr)", cell: (key) => <May apiKey={key} /> },
    {
      head: "Key",
      width: "minmax(0, 1.5fr)",
      cell: ({ keyPrefix }) => <code className="font-mono text-xs">{keyPrefix}…</code>,
    },
    {
      head: "Last used",
      width: "minmax(88px, 1fr)",
      phone: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-muted">Never</span>,
    },
    {
      head: "Created",
      width: "minmax(88px, 1fr)",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(manage
      ? [
          menuColumn<ApiKey>(
            ({ name }) => name,
            (key) => [
              { label: "See refused calls", onSelect: () => onRefused(key) },
              { label: "Revoke key", danger: true, onSelect: () => onRevoke(key) },
            ],
          ),
        ]
      : []),
  ]
}

function May({ apiKey: { permission, domainId } }: { apiKey: ApiKey }) {
  const { data } = useQuery({ ...domainsQuery, enabled: domainId !== null })
  const domain = data?.data.find(({ id }) => id === domainId)
  return (
    <>
      {PERMISSION_WORDS[permission].short}
      {domain && `, from ${domain.name} only`}
      {domainId && data && !domain && !data.nextCursor && (
        <span className="text-delayed"> · domain deleted: cannot send</span>
      )}
    </>
  )
}

function Revoke({
  apiKey,
  onClose,
  onRevoked,
}: {
  apiKey: ApiKey
  onClose(): void
  onRevoked(): void
}) {
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Revoke API key"
      description={
        <>
          Apps that use this key stop working immediately. This cannot be undone.{" "}
          {apiKey.lastUsedAt ? (
            <>
              Last used <Time at={apiKey.lastUsedAt} />.
            </>
          ) : (
            "It has never been used."
          )}
        </>
      }
      action="Revoke key"
      typed={apiKey.name}
      onConfirm={async () => {
        await api.apiKeys.remove(apiKey.id)
        onRevoked()
        say("Key revoked")
      }}
    />
  )
}
