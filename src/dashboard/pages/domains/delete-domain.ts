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
        ? `Domain deleted. ${left.leftoverDnsRecords} DNS records could not be removed: remove them at your DNS provider.`
        : domain.dnsMode === "auto"
          ? "Domain and its DNS records deleted"
          : "Domain deleted. You can now remove its records at your DNS provider.",
    )
    await navigate({ href: "/dashboard/domains" })
  }
  return {
    action: "Delete domain",
    description:
      "Email from this domain is refused immediately. API keys restricted to it can no longer send.",
    typed: domain.name,
    onConfirm,
  }
}
