import { useNavigate } from "@tanstack/react-router"
import type { Domain } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"

const leftover = (records: number) =>
  `Domain deleted. Remove ${counted(records, "leftover DNS record")} at your DNS provider.`

/** For the menu of the page. */
export function useDeletion(domain: Domain) {
  const navigate = useNavigate()
  const onConfirm = async () => {
    const reply = await api.domains.remove(domain.id)
    refresh("domains")
    say(
      reply
        ? leftover(reply.leftoverDnsRecords)
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
