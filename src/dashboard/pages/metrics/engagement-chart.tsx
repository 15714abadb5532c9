import { number } from "../../ui/numbers.ts"
import { BAR_HEIGHT, Bars } from "./bars.tsx"
import type { Step } from "./data.ts"
import { Bar } from "./deliveries-chart.tsx"
import { stepLabel } from "./step-label.ts"

/** Opens and clicks side by side. */
export function EngagementChart({ steps, step }: { steps: readonly Step[]; step: "hour" | "day" }) {
  const most = Math.max(1, ...steps.map(({ opened, clicked }) => Math.max(opened, clicked)))
  if (steps.every(({ opened, clicked }) => opened + clicked === 0)) {
    return <p className="text-muted">No opens or clicks in this period.</p>
  }
  const tall = (count: number) => (count / most) * BAR_HEIGHT
  return (
    <Bars
      rows={steps}
      rowKey={({ at }) => at}
      label={({ at }) => stepLabel(at, step)}
      caption={(shown) => {
        const count = (name: "opened" | "clicked") =>
          number((shown ? [shown] : steps).reduce((sum, one) => sum + one[name], 0))
        return (
          <>
            {shown && <span className="text-ink">{stepLabel(shown.at, step)}</span>}
            <span className="text-opened">◆ {count("opened")} opened</span>
            <span className="text-clicked">■ {count("clicked")} clicked</span>
          </>
        )
      }}
      bar={({ opened, clicked }, width) => (
        <>
          <Bar
            width={width / 2}
            y={BAR_HEIGHT - tall(opened)}
            height={tall(opened)}
            fill="fill-opened"
          />
          <Bar
            width={width / 2}
            x={width / 2}
            y={BAR_HEIGHT - tall(clicked)}
            height={tall(clicked)}
            fill="fill-clicked"
          />
        </>
      )}
    />
  )
}
