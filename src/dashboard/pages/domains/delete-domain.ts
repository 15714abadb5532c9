import { useNavigate } from "@tanstack/react-router"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { say } from "../../ui/toast.tsx"

/** For the menu of the page. */
export function useDeletion(domain: Domain) {
  const navigate = useNavigate()
  const onConfirm = async () => {
    const left = await api.domains.remove(domain.id)
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
  return {
    action: "Delete domain",
    description:
      "Mail from it is refused from now on. API keys that may send from it alone cannot send any more.",
    typed: domain.name,
    onConfirm,
  }
}
