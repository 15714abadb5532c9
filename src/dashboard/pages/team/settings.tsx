import { useQuery } from "@tanstack/react-query"
import type { getUsage, Usage } from "../../../worker/teams/usage-contract.ts"
import { call } from "../../api/api.ts"
import { installationQuery } from "../../api/installation.ts"
import { type Team, teamQuery } from "../../api/queries.ts"
import { useTab } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { providerName } from "../../app/providers.ts"
import { fileSize } from "../../ui/export/file-size.ts"
import { counted, number } from "../../ui/numbers.ts"
import { Card, Facts, Page, Section } from "../../ui/page.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { BrandPart } from "./brand/brand-part.tsx"
import { DangerZone } from "./danger-zone.tsx"
import { SignInRule } from "./members/sign-in-rule.tsx"
import { SettingsForm } from "./settings-form.tsx"

export default function Settings() {
  const { manage, own } = useMay()
  const team = useQuery(teamQuery)
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        {...useTab("General")}
        tabs={[
          {
            name: "General",
            children: (
              <Loaded query={team} lines={12}>
                {(team) => (manage ? <SettingsForm team={team} /> : <ReadOnly team={team} />)}
              </Loaded>
            ),
          },
          manage && {
            name: "Brand",
            children: (
              <Loaded query={team} lines={4}>
                {(team) => <BrandPart team={team} />}
              </Loaded>
            ),
          },
          {
            name: "Sign-in",
            children: (
              <Loaded query={team} lines={2}>
                {(team) => <SignInRule team={team} />}
              </Loaded>
            ),
          },
          {
            name: "Usage",
            children: (
              <div className="grid gap-6">
                <Limits />
                <Retention />
              </div>
            ),
          },
          own && { name: "Danger zone", children: <DangerZone /> },
        ]}
      />
    </Page>
  )
}

const onOff = (on: boolean) => (on ? "On" : "Off")

const ReadOnly = ({ team }: { team: Team }) => (
  <Card>
    <Facts
      facts={[
        ["Name", team.name],
        ["Postal address", <Lines key="address" text={team.postalAddress ?? "None"} />],
        ["Track opens", onOff(team.trackOpens)],
        ["Track clicks", onOff(team.trackClicks)],
      ]}
    />
  </Card>
)

const Lines = ({ text }: { text: string }) => <span className="whitespace-pre-line">{text}</span>

const KINDS: Record<Usage["data"][number]["of"], string> = {
  templates: "Templates",
  templateDrafts: "Template drafts",
  layouts: "Layouts",
  campaignDrafts: "Campaign drafts",
  contactBooks: "Contact books",
  segments: "Segments",
  forms: "Forms",
  domains: "Domains",
  images: "Images",
  imageBytes: "Image storage",
}

function Limits() {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: () => call<typeof getUsage>({ method: "GET", path: "/team/usage" }),
  })
  return (
    <Section title="Limits" about="Your team's usage and limits.">
      <Loaded query={usage} lines={4}>
        {({ data }) => (
          <Card>
            <Facts
              facts={data.map(({ of, used, limit }) => {
                const show = of === "imageBytes" ? fileSize : number
                return [KINDS[of], `${show(used)} of ${show(limit)}`]
              })}
            />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}

function Retention() {
  const installation = useQuery(installationQuery)
  return (
    <Section title="Data retention" about="Set for the whole installation.">
      <Loaded query={installation} lines={2}>
        {({ provider, contentRetentionDays, recordRetentionDays }) => (
          <Card>
            <Facts
              facts={[
                ["Email content and attachments", counted(contentRetentionDays, "day")],
                ["Email records and timelines", counted(recordRetentionDays, "day")],
                [
                  "Provider",
                  provider === "sandbox" ? "Sandbox: nothing is delivered" : providerName(provider),
                ],
              ]}
            />
          </Card>
        )}
      </Loaded>
    </Section>
  )
}
