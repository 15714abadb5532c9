import { Suspense, useState } from "react"
import type { Brand } from "../../../../worker/teams/brand-contract.ts"
import type { Team } from "../../../api/queries.ts"
import { lazy } from "../../../app/lazy.ts"
import { Button } from "../../../ui/button.tsx"
import { canShowImage } from "../../../ui/own-image.ts"
import { Card, Facts } from "../../../ui/page.tsx"
import { Skeleton } from "../../../ui/waiting.tsx"

const BrandForm = lazy(() => import("./brand-form.tsx"))

/** The brand at a glance. Its form comes with a preview, and is loaded when somebody edits it. */
export function BrandPart({ team }: { team: Team }) {
  const [state, setState] = useState<"first" | "editing" | "edited">("first")
  return (
    <div className="grid gap-3">
      <p className="max-w-prose text-pretty text-muted">
        New campaigns and layouts start with your brand. To apply it to others, choose “Use brand”
        in the editor.
      </p>
      {state === "editing" ? (
        <Suspense fallback={<Skeleton lines={8} />}>
          <BrandForm team={team} onClose={() => setState("edited")} />
        </Suspense>
      ) : (
        <Card className="flex flex-wrap items-center justify-between gap-4 p-4">
          {team.brand ? (
            <Summary brand={team.brand as Brand} />
          ) : (
            <p className="text-muted">No brand yet</p>
          )}
          <Button autoFocus={state === "edited"} onClick={() => setState("editing")}>
            {team.brand ? "Edit brand" : "Set up brand"}
          </Button>
        </Card>
      )}
    </div>
  )
}

function Summary({ brand }: { brand: Brand }) {
  const { logoUrl, font, footerText, lang, dir, ...colors } = brand
  const chosen = Object.values(colors).filter((color) => color !== undefined)
  return (
    <Facts
      facts={[
        logoUrl !== undefined && ["Logo", <Logo key="logo" url={logoUrl} />],
        font && [
          "Font",
          <span key="font" className="capitalize">
            {font}
          </span>,
        ],
        chosen.length > 0 && [
          "Colors",
          <span key="colors" className="flex flex-wrap gap-x-4 gap-y-1">
            {[...new Set(chosen)].map((color) => (
              <Swatch key={color} color={color} />
            ))}
          </span>,
        ],
        lang !== undefined && [
          "Language",
          new Intl.DisplayNames(["en"], { type: "language" }).of(lang) ?? lang,
        ],
        dir && ["Direction", dir === "rtl" ? "Right to left" : "Left to right"],
        footerText !== undefined && [
          "Footer text",
          <span key="footer" className="whitespace-pre-line">
            {footerText}
          </span>,
        ],
      ]}
    />
  )
}

const Swatch = ({ color }: { color: string }) => (
  <span className="inline-flex items-center gap-2">
    <span aria-hidden className="size-4 rounded-sm border" style={{ backgroundColor: color }} />
    <code className="font-mono text-xs">{color}</code>
  </span>
)

const Logo = ({ url }: { url: string }) =>
  canShowImage(url) ? (
    <img src={url} alt="Your logo" className="max-h-16 max-w-full rounded-md border bg-white p-2" />
  ) : (
    <span className="wrap-anywhere">{url}</span>
  )
