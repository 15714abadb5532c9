import { useNavigate } from "@tanstack/react-router"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Confirm } from "../../ui/dialog.tsx"
import { say } from "../../ui/toast.tsx"

export function DeleteDomain({ domain, onClose }: { domain: Domain; onClose(): void }) {
  const navigate = useNavigate()
  const remove = async () => {
    const left = await api.domains.delete(domain.id)
    queries.invalidateQueries({ queryKey: ["domains"] })
    say(
      left
        ? `Domain deleted. ${left.leftoverDnsRecords} of its records could not be taken out of DNS: remove them there.`
        : domain.dnsMode === "auto"
          ? "Domain deleted, and its records taken out of DNS"
          : "Domain deleted. Its records are still in DNS: you can remove them there.",
    )
    await navigate({ href: "/dashboard/domains" })
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Delete domain"
      description="Mail from it is refused from now on. API keys that may send from it alone cannot send any more."
      action="Delete domain"
      typed={domain.name}
      onConfirm={remove}
    />
  )
}
