import { useQuery } from "@tanstack/react-query"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { installationQuery } from "../../api/installation.ts"
import { refresh } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Step } from "./step.tsx"

export function DomainStep({ domains }: { domains: readonly Domain[] }) {
  const verified = domains.find(({ status }) => status === "verified")
  const pending = domains.find(({ status }) => status === "pending")
  return (
    <Step number={1} title="Add a domain" done={verified !== undefined}>
      {verified ? (
        <p className="wrap-anywhere">{verified.name} is verified.</p>
      ) : pending ? (
        <Pending domain={pending} />
      ) : (
        <AddDomain />
      )}
    </Step>
  )
}

/** The page looks again every few seconds, as long as it is open. */
const Pending = ({ domain }: { domain: Domain }) => (
  <div className="grid gap-1" role="status">
    <p className="flex flex-wrap items-center gap-x-3 wrap-anywhere">
      {domain.name} <Badge state={domain.status} />
    </p>
    <p className="text-muted">
      Add its DNS records.{" "}
      <Link to={`/domains/${domain.id}`} className="underline underline-offset-2">
        View records
      </Link>
    </p>
    <p className="text-muted">DNS is checked every two minutes. This page updates automatically.</p>
  </div>
)

const loadSchema = async () =>
  (await import("../../../worker/domains/contract.ts")).createDomain.json

function AddDomain() {
  const { data: installation } = useQuery(installationQuery)
  const simulated = installation?.provider === "sandbox"
  const form = useSchemaForm(loadSchema, { name: "" })
  const add = async (input: { name: string }) => {
    const domain = await api.domains.create(input)
    // Without a sandbox the first check would find no records yet.
    if (domain.provider === "sandbox") await api.domains.verify(domain.id)
    await refresh("domains")
  }
  return (
    <Form form={form} submit="Add domain" onSubmit={add}>
      <TextField
        label="Domain"
        hint={
          simulated
            ? "Email goes to the test inbox only, so any name works and no DNS records are needed."
            : "You can send from any address on this domain. You add DNS records to prove that it is yours."
        }
        {...fieldOf(form, "name")}
        placeholder={simulated ? "test.example.com" : "mail.your-company.com"}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Form>
  )
}
