import { useQuery } from "@tanstack/react-query"
import { Page } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { Density } from "./density.tsx"
import { NameForm } from "./name-form.tsx"
import { Passkeys } from "./passkeys.tsx"
import { Password } from "./password.tsx"
import { profileQuery } from "./profile.ts"
import { SecondFactor } from "./second-factor.tsx"
import { Sessions } from "./sessions.tsx"
import { Theme } from "./theme.tsx"

export default function Account() {
  const profile = useQuery(profileQuery)
  return (
    <Page title="Your account" about={profile.data?.user.email}>
      <Loaded query={profile}>
        {(profile) => (
          <div className="grid max-w-3xl gap-10">
            <NameForm name={profile.user.name} />
            <Theme />
            <Density />
            <Password profile={profile} />
            <SecondFactor profile={profile} />
            <Passkeys canAdd={profile.canAddPasskey} />
            <Sessions />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
