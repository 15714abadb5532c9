import { ALERT_MIN_SENDS } from "../../../worker/stats/alerts.ts"
import { number, percent } from "../../ui/numbers.ts"
import { Section } from "../../ui/page.tsx"
import { BAR_HEIGHT, Bars } from "./bars.tsx"
import type { Step } from "./data.ts"
import { Bar } from "./deliveries-chart.tsx"
import { stepLabel } from "./step-label.ts"

interface Props {
  title: string
  count: "bounced" | "complained"
  limit: number
  fill: string
  steps: readonly Step[]
  step: "hour" | "day"
}

/** A share of the sent emails by step, with the rate at which providers stop a sender. */
export function RateChart({ title, count, limit, fill, steps, step }: Props) {
  const rateOf = (step: Pick<Step, "sent" | typeof count>) =>
    step.sent > 0 ? Math.min(1, step[count] / step.sent) : 0
  const sum = (name: "sent" | typeof count) => steps.reduce((all, one) => all + one[name], 0)
  const isCertain = ({ sent }: Step) => sent >= ALERT_MIN_SENDS
  const hasGrey = steps.some((one) => one[count] > 0 && !isCertain(one))
  const most = Math.max(limit * 1.25, ...steps.filter(isCertain).map(rateOf))
  const tall = (rate: number) => Math.min(1, rate / most) * BAR_HEIGHT
  const total = { sent: sum("sent"), bounced: 0, complained: 0, [count]: sum(count) }
  const limitAt = BAR_HEIGHT - tall(limit)
  return (
    <Section
      title={title}
      about={`${percent(rateOf(total))} of sent. The line is the limit of ${percent(limit)}.`}
    >
      <Bars
        rows={steps}
        rowKey={({ at }) => at}
        label={({ at }) => stepLabel(at, step)}
        caption={(shown) =>
          shown ? (
            <>
              <span className="text-ink">{stepLabel(shown.at, step)}</span>
              <span>
                {percent(rateOf(shown))} · {number(shown[count])} of {number(shown.sent)}
              </span>
            </>
          ) : (
            hasGrey && <span>Grey: fewer than {ALERT_MIN_SENDS} emails</span>
          )
        }
        bar={(one, width) => (
          <Bar
            width={width}
            y={BAR_HEIGHT - tall(rateOf(one))}
            height={tall(rateOf(one))}
            fill={isCertain(one) ? fill : "fill-line"}
          />
        )}
        lines={
          <line
            x2="100%"
            y1={limitAt}
            y2={limitAt}
            strokeDasharray="6 4"
            vectorEffect="non-scaling-stroke"
            className="stroke-failed"
          />
        }
      />
    </Section>
  )
}
