import { number } from "../../ui/numbers.ts"
import { BAR_HEIGHT, Bars } from "./bars.tsx"
import type { Step } from "./data.ts"
import { stepLabel } from "./step-label.ts"

const BELOW = 44
const LEAST = 3

interface Props {
  steps: readonly Step[]
  step: "hour" | "day"
  /** The name of the whole range. */
  range: string
}

/** Deliveries stand on the line. Bounces and complaints hang below it, with a scale of their own. */
export function DeliveriesChart({ steps, step, range }: Props) {
  const most = Math.max(1, ...steps.map(({ sent, delivered }) => Math.max(sent, delivered)))
  const worst = Math.max(5, ...steps.map(({ bounced, complained }) => bounced + complained))
  const tall = (count: number) => (count / most) * BAR_HEIGHT
  const deep = (count: number) => (count > 0 ? Math.max(LEAST, (count / worst) * BELOW) : 0)
  return (
    <Bars
      rows={steps}
      rowKey={({ at }) => at}
      below={BELOW}
      label={({ at }) => stepLabel(at, step)}
      caption={(shown) => {
        const count = (name: keyof Omit<Step, "at">) =>
          number((shown ? [shown] : steps).reduce((sum, one) => sum + one[name], 0))
        return (
          <>
            <span className="text-ink max-sm:basis-full sm:min-w-24">
              {shown ? stepLabel(shown.at, step) : range}
            </span>
            <span>{count("sent")} sent</span>
            <span className="text-delivered">● {count("delivered")} delivered</span>
            <span className="text-failed">✕ {count("bounced")} bounced</span>
            <span className="text-delayed">▲ {count("complained")} complained</span>
            <span className="text-opened">◆ {count("opened")} opened</span>
            <span className="text-clicked">■ {count("clicked")} clicked</span>
            {worst < most && (
              <span className="text-xs max-sm:basis-full">Bounces use a larger scale</span>
            )}
          </>
        )
      }}
      bar={({ sent, delivered, bounced, complained }, width) => (
        <>
          <Bar width={width} y={BAR_HEIGHT - tall(sent)} height={tall(sent)} fill="fill-line" />
          <Bar
            width={width}
            y={BAR_HEIGHT - tall(delivered)}
            height={tall(delivered)}
            fill="fill-delivered"
          />
          <Bar width={width} y={BAR_HEIGHT + 1} height={deep(bounced)} fill="fill-failed" />
          <Bar
            width={width}
            y={BAR_HEIGHT + 1 + deep(bounced)}
            height={Math.min(deep(complained), BELOW - deep(bounced))}
            fill="fill-delayed"
          />
        </>
      )}
    />
  )
}

export const Bar = (props: {
  width: number
  y: number
  height: number
  fill: string
  x?: number
}) => {
  const { fill, height, ...place } = props
  return <rect {...place} height={Math.max(0, height)} className={fill} />
}
