import { useNavigate } from "@tanstack/react-router"
import type { claimInstallation } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { chosenTeam, type ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { type Jurisdictions, RegionField } from "../../ui/form/region-field.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { Frame } from "./frame.tsx"
import { NewPassword } from "./new-password.tsx"
import { useMethods } from "./other-ways.tsx"

export default function Claim() {
  const methods = useMethods()
  if (methods.data?.claimable === false) return <Claimed />
  return (
    <Frame
      title="Claim this installation"
      about="Create the first team. You can invite others later."
    >
      <Loaded query={methods} lines={5}>
        {({ jurisdictions = [] }) => <ClaimForm jurisdictions={jurisdictions} />}
      </Loaded>
    </Frame>
  )
}

const Claimed = () => (
  <Frame
    title="Already claimed"
    about="This installation has already been claimed. Sign in, or ask an owner to invite you."
  >
    <Link to="/sign-in" className={buttonClass("primary")}>
      Go to sign-in
    </Link>
  </Frame>
)

const loadSchema = async () =>
  (await import("../../../worker/access/people/sign-in/visitors-contract.ts")).claimInstallation
    .json

const EMPTY = { code: "", teamName: "", name: "", email: "", password: "" }

function ClaimForm({ jurisdictions }: { jurisdictions: Jurisdictions }) {
  const navigate = useNavigate()
  const initial = { ...EMPTY, jurisdiction: jurisdictions[0] ?? undefined }
  const form = useSchemaForm(loadSchema, initial)
  const claim = async (body: typeof initial) => {
    const { team } = await callAuth<ReplyOf<typeof claimInstallation>>({
      method: "POST",
      path: "/claim",
      body,
    })
    queries.clear()
    chosenTeam.set(team.id)
    navigate({ to: "/start" })
  }
  return (
    <Form wide form={form} submit="Claim" onSubmit={claim}>
      <TextField
        label="Claim code"
        hint="Printed by npm run deploy, or your secret CLAIM_CODE. Without both, this page has written it into the Worker's log, as claimCode: in Cloudflare's dashboard under Workers & Pages, Observability. It works once, within a day."
        {...fieldOf(form, "code")}
        className="font-mono"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        required
      />
      <TextField
        label="Team"
        hint="Your company or product."
        {...fieldOf(form, "teamName")}
        autoComplete="organization"
        required
      />
      <RegionField jurisdictions={jurisdictions} form={form} />
      <TextField label="Your name" {...fieldOf(form, "name")} autoComplete="name" required />
      <TextField
        label="Email"
        type="email"
        {...fieldOf(form, "email")}
        autoComplete="username"
        required
      />
      <NewPassword label="Password" {...fieldOf(form, "password")} />
    </Form>
  )
}
