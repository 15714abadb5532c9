import { type KeyboardEvent, type ReactNode, useId, useState } from "react"
import { cx } from "./cx.ts"

interface TabPart {
  name: string
  children: ReactNode
}

interface Props {
  tabs: readonly (TabPart | false | null)[]
  label: string
  /** The browser keeps the choice under this name, for all tabs that have it. */
  remember?: string
  /** For a small box, such as a snippet. Without it, the tabs are a part of the page. */
  boxed?: boolean
  /** The part that is shown, where the owner changes it, too. */
  shown?: string
  onShow?(name: string): void
}

/** Shows one part at a time. The arrow keys, Home and End change the part. */
export function Tabs({ tabs, label, remember, boxed, shown: wanted, onShow }: Props) {
  const id = useId()
  const shown = tabs.filter((tab): tab is TabPart => Boolean(tab))
  const [chosen, setChosen] = useState(remember ? localStorage.getItem(remember) : null)
  const current = shown.find(({ name }) => name === (wanted ?? chosen)) ?? shown[0]
  if (!current) return null
  const choose = (name: string) => {
    setChosen(name)
    onShow?.(name)
    if (remember) localStorage.setItem(remember, name)
  }
  const idOf = ({ name }: TabPart) => `${id}-${shown.findIndex((tab) => tab.name === name)}`
  const move = (event: KeyboardEvent) => {
    const last = shown.length - 1
    const at = shown.indexOf(current)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key]
    const next = to === undefined ? undefined : shown.at(to > last ? 0 : to)
    if (!next) return
    event.preventDefault()
    choose(next.name)
    document.getElementById(idOf(next))?.focus()
  }
  return (
    <div className={cx("min-w-0", boxed && "overflow-hidden rounded-lg border bg-sunken")}>
      <div
        role="tablist"
        aria-label={label}
        className={cx("flex overflow-x-auto border-b", boxed ? "gap-1 px-2" : "mb-4 gap-4")}
      >
        {shown.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={idOf(tab)}
            aria-selected={tab === current}
            aria-controls={tab === current ? `${id}-panel` : undefined}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => choose(tab.name)}
            onKeyDown={move}
            className={cx(
              "border-b-2 border-transparent whitespace-nowrap text-muted -outline-offset-2",
              "hover:text-ink aria-selected:border-ink aria-selected:text-ink",
              boxed ? "px-2 py-1.5 text-xs" : "py-2",
            )}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={idOf(current)} key={current.name}>
        {current.children}
      </div>
    </div>
  )
}
