import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Domain } from "../../../client/types.ts"
import { RECEIVING_MODES } from "../../../worker/domains/receiving-modes.ts"
import { api, EdgepostError } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { useMay } from "../../app/people.ts"
import { Badge, sentence } from "../../ui/badge.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { Card, Facts, Section } from "../../ui/page.tsx"
import { TaskButton } from "../../ui/task-button.tsx"
import { say } from "../../ui/toast.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { domainQuery } from "./data.ts"
import { Records } from "./records.tsx"

const Inboxes = lazy(() => import("./inboxes.tsx"))

type Mode = Domain["receiving"]["mode"]

const MODES: Record<string, readonly [label: string, about: string]> = {
  off: ["Off", "Mail to this domain is not read here."],
  forward: [
    "Forwarding",
    "Each inbox has a forwarding address. Set your mailbox to forward to it.",
  ],
  routing: [
    "Cloudflare Email Routing",
    "Cloudflare hands all mail to this domain to Edgepost. Its zone must be in this installation's account.",
  ],
}

const TOASTS: Record<Domain["receiving"]["status"], string> = {
  off: "Receiving turned off",
  pending: "Cloudflare is being set up",
  active: "Receiving turned on",
  failed: "Receiving does not work yet",
}

const labelOf = (mode: string) => MODES[mode]?.[0] ?? sentence(mode)

/** Whether the domain takes mail, by which way, and for which addresses. */
export function Receiving({ domain }: { domain: Domain }) {
  const { receiving } = domain
  const { manage } = useMay()
  if (!manage && receiving.mode === "off") return null
  return (
    <>
      <Section title="Receiving" about="Read and answer mail to addresses of this domain.">
        <Card>
          {manage ? (
            <ModeField domain={domain} />
          ) : (
            <Facts facts={[["Receiving", labelOf(receiving.mode)]]} />
          )}
          {receiving.status !== "off" && (
            <p className="mt-3 flex flex-wrap gap-x-3">
              <Badge
                state={receiving.status === "active" ? "ok" : receiving.status}
                label={sentence(receiving.status)}
              />
              {receiving.lastError && <span className="wrap-anywhere">{receiving.lastError}</span>}
            </p>
          )}
        </Card>
      </Section>
      {receiving.records.length > 0 && (
        <Records
          title="DNS records for receiving"
          domain={{ ...domain, records: receiving.records }}
          dns={undefined}
        />
      )}
      {receiving.mode !== "off" && (
        <Suspense fallback={<Skeleton lines={3} />}>
          <Inboxes domain={domain} />
        </Suspense>
      )}
    </>
  )
}

/** A change is saved at once. What stands in its way is said beside it. */
function ModeField({ domain: { id, name, status, receiving } }: { domain: Domain }) {
  const [error, setError] = useState<unknown>(null)
  const [wanted, setWanted] = useState<Mode | null>(null)
  const change = async (mode: Mode) => {
    setError(null)
    setWanted(mode)
    try {
      const changed = await api.domains.update(id, { receiving: mode })
      queries.setQueryData(domainQuery(id).queryKey, changed)
      void refresh("domains")
      say(TOASTS[changed.receiving.status])
    } catch (error) {
      setError(error)
    } finally {
      setWanted(null)
    }
  }
  const mode = wanted ?? receiving.mode
  if (status !== "verified" && mode === "off") {
    return <p className="text-muted">Verify the domain first. Then you can receive its mail.</p>
  }
  return (
    <div className="grid max-w-prose gap-3">
      <SelectField
        label="How mail arrives"
        hint={MODES[mode]?.[1]}
        className="max-w-80"
        value={mode}
        onChange={change}
        options={RECEIVING_MODES.map((one) => [one, labelOf(one)] as const)}
      />
      {error !== null && <ErrorBox error={error} />}
      {isOfOthers(error) && <AddSubdomain name={`reply.${name}`} />}
    </div>
  )
}

/** Somebody else takes the mail of the name. */
const isOfOthers = (error: unknown) =>
  error instanceof EdgepostError && (error.details as { mx?: string[] } | undefined)?.mx

function AddSubdomain({ name }: { name: string }) {
  const navigate = useNavigate()
  const add = async () => {
    const { id } = await api.domains.create({ name })
    void refresh("domains")
    await navigate({ href: `/dashboard/domains/${id}` })
  }
  return (
    <p>
      <TaskButton run={add} busyLabel="Adding…">
        Add {name}
      </TaskButton>
    </p>
  )
}
