import { useQuery } from "@tanstack/react-query"
import { domainsQuery } from "../../api/queries.ts"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { Page } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { DomainStep } from "./domain-step.tsx"
import { SendSteps } from "./send-steps.tsx"

const LOOK_AGAIN_MS = 5_000

/** From an empty team to the first email, on one page. */
export default function Start() {
  return (
    <ManagersOnly title="Send your first email">
      <Steps />
    </ManagersOnly>
  )
}

function Steps() {
  const domains = useQuery({
    ...domainsQuery,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === "verified") ? false : LOOK_AGAIN_MS,
  })
  return (
    <Page title="Send your first email" about="Three steps, about one minute.">
      <Loaded query={domains}>
        {({ data }) => (
          <ol className="grid max-w-3xl gap-8">
            <DomainStep domains={data} />
            <SendSteps domain={data.find(({ status }) => status === "verified")?.name} />
          </ol>
        )}
      </Loaded>
    </Page>
  )
}
