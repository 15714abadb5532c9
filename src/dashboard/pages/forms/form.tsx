import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense } from "react"
import type { Form } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { number } from "../../ui/numbers.ts"
import { Card, Facts, Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { say } from "../../ui/toast.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { Total } from "../metrics/total.tsx"
import { formQuery, medianOf, saveForm, stateOf } from "./data.ts"

const FormEditor = lazy(() => import("./form-editor.tsx"))

export default function FormPage() {
  const id = useParam("id")
  const query = useQuery(formQuery(id))
  return (
    <LoadedPage query={query} title="Form" above={<Link to="/forms">Forms</Link>}>
      {(form) => <Shown form={form} />}
    </LoadedPage>
  )
}

function Shown({ form }: { form: Form }) {
  const { manage } = useMay()
  const request = requestOf("GET", `/forms/${form.id}`, "forms.get", form.id)
  return (
    <Page
      title={form.name}
      above={<Link to="/forms">Forms</Link>}
      about={<Badge {...stateOf(form)} />}
      actions={
        manage ? <Actions form={form} request={request} /> : <AsRequestButton {...request} />
      }
    >
      <Figures form={form} />
      {manage ? (
        <Suspense fallback={<Skeleton />}>
          <FormEditor key={form.id} form={form} />
        </Suspense>
      ) : (
        <Card>
          <Facts
            facts={[
              ["Fields", form.fields.map(({ label }) => label).join(", ")],
              ["Wording", form.wording],
            ]}
          />
        </Card>
      )}
    </Page>
  )
}

function Figures({ form }: { form: Form }) {
  const { asked, confirmed } = form.counts
  return (
    <dl className="grid grid-cols-3 divide-x overflow-hidden rounded-lg border bg-raised [&>div]:grid [&>div]:content-start [&>div]:gap-1 [&>div]:p-4 max-sm:[&>div]:p-3">
      <div>
        <dt className="text-muted">Asked</dt>
        <Total share={false} detail={null}>
          {number(asked)}
        </Total>
      </div>
      <div>
        <dt className="text-muted">Confirmed</dt>
        <Total share={asked > 0 && confirmed / asked} detail={null}>
          {number(confirmed)}
        </Total>
      </div>
      <div>
        <dt className="text-muted">Confirmed after</dt>
        <Total share={false} detail="Median">
          {medianOf(form) ?? "–"}
        </Total>
      </div>
    </dl>
  )
}

function Actions({ form: { id, name, enabled }, request }: { form: Form; request: AsRequest }) {
  const navigate = useNavigate()
  return (
    <>
      {enabled && (
        <a
          href={`/f/${id}`}
          target="_blank"
          rel="noreferrer"
          className="px-2 underline underline-offset-2"
        >
          Open page
        </a>
      )}
      <TaskButton run={() => saveForm(id, { enabled: !enabled })}>
        {enabled ? "Pause" : "Resume"}
      </TaskButton>
      <MoreMenu
        request={request}
        deletion={{
          action: "Delete form",
          description:
            "Its page and embedded copies stop working. Contacts and their history of consent stay.",
          typed: name,
          async onConfirm() {
            await api.forms.remove(id)
            void refresh("forms")
            await navigate({ href: "/dashboard/forms" })
            say("Form deleted")
          },
        }}
      />
    </>
  )
}
