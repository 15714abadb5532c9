import { useQuery } from "@tanstack/react-query"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { providerName } from "../../app/providers.ts"
import { Badge } from "../../ui/badge.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { Card, Facts, Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { dnsQuery, domainQuery } from "./data.ts"
import { useDeletion } from "./delete-domain.ts"
import { DmarcHint } from "./dmarc-hint.tsx"
import { Receiving } from "./receiving.tsx"
import { Records } from "./records.tsx"
import { WhereIsDns } from "./where.tsx"

export default function DomainPage() {
  const id = useParam("id")
  const may = useMay()
  const query = useQuery(domainQuery(id))
  const domain = query.data
  const request = requestOf("GET", `/domains/${id}`, "domains.get", id)
  return (
    <Page
      title={domain?.name ?? "Domain"}
      above={<Link to="/domains">Domains</Link>}
      about={domain && <Story domain={domain} />}
      actions={
        domain && may.manage ? (
          <Actions domain={domain} request={request} />
        ) : (
          <AsRequestButton {...request} />
        )
      }
    >
      <Loaded query={query}>{(domain) => <Parts domain={domain} />}</Loaded>
    </Page>
  )
}

function Story({ domain: { status, lastError, dnsMode } }: { domain: Domain }) {
  if (status === "verified") return "You can send from this domain and its subdomains."
  if (status === "failed") {
    return `${lastError ?? "The DNS records were not found within 72 hours."} Check again to restart verification.`
  }
  return dnsMode === "auto"
    ? "The DNS records were added for you. Verification takes a few minutes."
    : "Step 2 of 3: add these records at your DNS provider. Step 3: they are checked every two minutes for 72 hours."
}

function Parts({ domain }: { domain: Domain }) {
  const { data: dns } = useQuery(dnsQuery(domain.id))
  return (
    <>
      <Card>
        <Facts
          facts={[
            ["Status", <Badge key="status" state={domain.status} />],
            domain.lastError !== null &&
              domain.status !== "failed" && ["Last check", domain.lastError],
            dns?.nextCheckAt != null && ["Next check", <Time key="next" at={dns.nextCheckAt} />],
            dns?.checkedUntil != null && [
              "Checked until",
              <Time key="until" at={dns.checkedUntil} />,
            ],
            domain.verifiedAt !== null && [
              "Verified",
              <Time key="verified" at={domain.verifiedAt} />,
            ],
            ["Provider", [providerName(domain.provider), domain.region].filter(Boolean).join(", ")],
            ["ID", <Mono key="id" text={domain.id} copy />],
            ["Added", <Time key="added" at={domain.createdAt} />],
          ]}
        />
      </Card>
      <WhereIsDns dns={dns} domain={domain} />
      {domain.records.length > 0 && <Records domain={domain} dns={dns} />}
      <DmarcHint domain={domain} />
      <Receiving domain={domain} />
    </>
  )
}

function Actions({ domain, request }: { domain: Domain; request: AsRequest }) {
  const deletion = useDeletion(domain)
  const check = async () => {
    const checked = await api.domains.verify(domain.id)
    queries.setQueryData(domainQuery(domain.id).queryKey, checked)
    queries.invalidateQueries({ queryKey: dnsQuery(domain.id).queryKey })
    refresh("domains")
    say(checked.status === "verified" ? "Verified" : "Not verified yet")
  }
  return (
    <>
      <TaskButton
        kind={domain.status === "verified" ? "plain" : "primary"}
        run={check}
        busyLabel="Checking…"
      >
        Check again
      </TaskButton>
      <MoreMenu request={request} deletion={deletion} />
    </>
  )
}
