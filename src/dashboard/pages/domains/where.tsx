import type { Domain } from "../../../client/types.ts"
import { Card } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { AddToCloudflare } from "./add-to-cloudflare.tsx"
import type { Dns } from "./data.ts"

/** Who runs the zone's name servers: records are added there, whoever sold the domain. */
export function WhereIsDns({ dns, domain }: { dns: Dns | undefined; domain: Domain }) {
  if (!dns || dns.simulated || domain.status === "verified") return null
  const { zone } = dns
  return (
    <Card>
      <h2 className="font-semibold">Where is my DNS?</h2>
      {!zone ? (
        <p className="mt-1 text-muted">
          No name servers found for {domain.name}. If the domain is new, check again later.
        </p>
      ) : (
        <>
          <p className="mt-1 max-w-prose">
            {zone.host ? (
              <>
                At <strong>{zone.host.name}</strong>. Add the records to the zone{" "}
                <strong className="wrap-anywhere">{zone.name}</strong> at{" "}
                <a
                  href={zone.host.url}
                  target="_blank"
                  rel="noreferrer"
                  className="underline underline-offset-2 wrap-anywhere"
                >
                  {zone.host.url.replace("https://", "")}
                </a>
                .
              </>
            ) : (
              <>
                Add the records to the zone <strong className="wrap-anywhere">{zone.name}</strong>,
                at the provider that runs these name servers.
              </>
            )}
          </p>
          <ul className="mt-2 grid gap-1">
            {zone.nameServers.map((server) => (
              <li key={server}>
                <Mono text={server} />
              </li>
            ))}
          </ul>
          {dns.isInAccount && <AddToCloudflare domain={domain} zone={zone.name} />}
        </>
      )}
    </Card>
  )
}
