import { useQuery } from "@tanstack/react-query"
import { useDeferredValue } from "react"
import { formPage, type ShownForm } from "../../../worker/forms/hosted/page.ts"
import type { Brand } from "../../../worker/teams/brand-contract.ts"
import { teamQuery } from "../../api/queries.ts"
import { MailFrame } from "../../ui/frame.tsx"
import { Loaded } from "../../ui/waiting.tsx"

/** The hosted page, by the code that the server renders it with. */
export default function PagePreview({ form }: { form: ShownForm["form"] }) {
  const team = useQuery(teamQuery)
  const shown = useDeferredValue(form)
  return (
    <Loaded query={team}>
      {({ name, postalAddress, brand }) => (
        <MailFrame
          title="Hosted page"
          html={String(
            formPage("en", {
              form: shown,
              sender: { name, postalAddress, brand: brand as Brand | null },
            }),
          )}
        />
      )}
    </Loaded>
  )
}
