import { useIsFetching } from "@tanstack/react-query"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"

const TYPED_MS = 250

/**
 * Enter that comes before the answers goes to the first answer when it is there. `settled` is the
 * text shortly after its last letter.
 */
export function useEarlyEnter(query: string, isEntered: boolean) {
  const list = useRef<HTMLDivElement>(null)
  const [settled, setSettled] = useState("")
  const [isWaiting, setWaiting] = useState(isEntered)
  const isPending = useIsFetching({ queryKey: ["palette"] }) > 0 || settled !== query
  const typed = useRef(query)
  useEffect(() => {
    if (typed.current !== query) setWaiting(false)
    typed.current = query
    const timer = setTimeout(() => setSettled(query), TYPED_MS)
    return () => clearTimeout(timer)
  }, [query])
  useEffect(() => {
    if (!isWaiting || isPending) return
    // The list draws what was found first.
    const frame = requestAnimationFrame(() => {
      const [first] = list.current?.querySelectorAll<HTMLElement>(ANSWERS) ?? []
      const chosen = first ?? list.current?.querySelector<HTMLElement>(CHOSEN)
      chosen?.click()
    })
    return () => cancelAnimationFrame(frame)
  }, [isWaiting, isPending])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isPending) return
    if (!list.current?.querySelector(`${CHOSEN}[data-last-resort]`)) return
    event.preventDefault()
    setWaiting(true)
  }
  return { list, settled, isWaiting, onKeyDown }
}

const ANSWERS = "[data-answers] [cmdk-item]"
const CHOSEN = "[cmdk-item][aria-selected=true]"
